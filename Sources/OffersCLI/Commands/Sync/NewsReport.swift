import Foundation
import OffersCore
import OffersPlatform
import OffersStore

/// The printer of `offers sync --news`, which reports each change of a favorite once, and each
/// feed that fails or works again.
///
/// The reader mark is stored in the database after the whole report was printed. If the program is
/// killed before, the next run prints the news again.
struct NewsReport {
  private let database: OffersDatabase
  private let feeds: FeedPresentations
  /// The removals that were held back before the sync, by the name of the feed.
  private let heldBefore: [String: HeldBack]

  /// The name under which the database stores the last reported change (`ReaderMark`).
  private static let reader = "news"
  /// The name of the lock that is held while the news are printed. It differs from the locks of
  /// feeds, because no feed has a slash in its name.
  private static let lock = "news/"
  private static let lockWaitSeconds = 60.0

  /// Prepares the news before a sync. If no mark is stored yet, it is set to the newest change, so
  /// that changes by earlier syncs are not reported.
  init(_ database: OffersDatabase, _ feeds: FeedPresentations) async throws {
    self.database = database
    self.feeds = feeds
    guard try await database.findMark(of: Self.reader) == nil else {
      heldBefore = try await Self.held(in: database).mapValues(\.held)
      return
    }
    // No report was printed before this one, so that it reports removals which earlier syncs held back.
    heldBefore = [:]
    let now = Date()
    let lastID = try await database.fetchNews(after: nil, now: now).lastID
    try await database.setMark(ReaderMark(changeID: lastID, readAt: now), of: Self.reader)
  }

  /// The feeds with offers that are held back.
  private static func held(
    in database: OffersDatabase
  ) async throws -> [String: (feed: Feed, held: HeldBack)] {
    var found: [String: (feed: Feed, held: HeldBack)] = [:]
    for feed in try await database.fetchFeeds() {
      if let held = feed.fetch.held { found[feed.name] = (feed, held) }
    }
    return found
  }

  /// The feeds whose offers have been held back since the last report, or by this sync.
  private func newlyHeld(since mark: ReaderMark?) async throws -> [(feed: Feed, held: HeldBack)] {
    try await Self.held(in: database).values.filter { feed, held in
      heldBefore[feed.name]?.since != held.since || mark.map { held.since > $0.readAt } ?? true
    }.sorted { $0.feed.name < $1.feed.name }
  }

  /// Prints what has changed since the last report. If nothing has, it prints nothing or, as JSON, a document
  /// with empty lists. A lock ensures that of two concurrent syncs only one reports each change.
  func report(isJSON: Bool) async throws {
    try await database.withSyncLock(on: Self.lock, waitSeconds: Self.lockWaitSeconds) {
      let mark = try await database.findMark(of: Self.reader)
      let now = Date()
      let (news, lastID) = try await database.fetchNews(after: mark, now: now)
      let held = try await newlyHeld(since: mark)
      if isJSON {
        try Output.print(.json(document(news, held), pricedFeeds: feeds.pricedFeeds))
      } else if !news.isEmpty || !held.isEmpty {
        try Output.print(.text((lines(news, at: now) + held.map(line)).joined(separator: "\n")))
      }
      if news.isEmpty, held.isEmpty, lastID == mark?.changeID { return }
      try await database.setNewsTold(news, lastID: lastID, reader: Self.reader, now: now)
    }
  }

  func lines(_ news: News, at now: Date) -> [String] {
    news.changes.map { ChangeReport(feeds: feeds).line($0, at: now) }
      + news.failing.map(Self.line)
      + news.recovered.map {
        DisplayText.oneLine("\($0.name) works again, as of \(Units.time($0.at))")
      }
  }

  private static func line(_ feed: FailingFeed) -> String {
    let reason = feed.message.map { ": \($0)" } ?? "."
    let name = ShellQuoting.word(feed.name)
    if let stopped = feed.stoppedAt {
      return DisplayText.oneLine(
        "\(feed.name) was stopped on \(Units.time(stopped))\(reason) "
          + "To start it again: offers sync \(name) --force")
    }
    let next = feed.nextDueAt.map { ", next at \(Units.time($0))" } ?? ""
    return DisplayText.oneLine(
      "\(feed.name) has failed \(Units.times(feed.failureCount)) since \(Units.time(feed.since))"
        + "\(reason) Last tried at \(Units.time(feed.triedAt))\(next). "
        + "To try now: offers sync \(name)")
  }

  private func line(_ feed: Feed, _ held: HeldBack) -> String {
    DisplayText.oneLine(
      "\(feed.name): " + held.sentence(of: feed.currentCount, feeds[feed.name].noun, at: Date()))
  }

  private func document(_ news: News, _ held: [(feed: Feed, held: HeldBack)]) -> JSONObject {
    [
      "changes": news.changes.map { change in WrittenJSON { $0.value(change) } },
      "failing": news.failing.map { feed -> JSONObject in
        [
          "feed": feed.name, "since": feed.since, "failures": feed.failureCount,
          "message": feed.message, "last_tried_at": feed.triedAt, "next_due_at": feed.nextDueAt,
          "stopped_at": feed.stoppedAt,
        ]
      },
      "recovered": news.recovered.map { feed -> JSONObject in
        ["feed": feed.name, "at": feed.at]
      },
      "held_back": held.map { $0.held.document(of: $0.feed) },
    ]
  }
}

/// The favorites that a sync found up, down, changed, gone or back, for `offers sync` on a terminal.
///
/// Expired offers are no news. The mark of `offers sync --news` stays where it is, so that cron reports
/// these favorites as well.
struct FavoriteNews {
  private let database: OffersDatabase
  private let feeds: FeedPresentations
  /// The id of the newest change before the sync.
  private let lastID: Int64

  init(_ database: OffersDatabase, _ feeds: FeedPresentations) async throws {
    self.database = database
    self.feeds = feeds
    lastID = try await database.fetchChanges(Self.query()).lastID
  }

  func fetchLines() async throws -> [String] {
    var query = Self.query()
    query.limit = nil
    query.afterID = lastID
    let now = query.now
    return try await database.fetchChanges(query).changes
      .filter { News.tells($0, at: now) }.map { ChangeReport(feeds: feeds).line($0, at: now) }
  }

  private static func query() -> ChangeQuery {
    ChangeQuery(
      favoritesOnly: true, kinds: [.up, .down, .changed, .gone, .back], limit: 1, now: Date())
  }
}
