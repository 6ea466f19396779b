import Foundation
import OffersCore

/// The printer of `offers sync --news`, which reports each change of a favorite and each failing
/// feed once.
///
/// The reader mark is stored in the database after the whole report was printed. If the program is
/// killed before, the next run prints the news again.
struct NewsReport {
  private let database: any OffersStorage
  private let feeds: FeedPresentations

  /// The name under which the database stores the last reported change (`ReaderMark`).
  private static let reader = "news"
  /// The name of the lock that is held while the news are printed. It differs from the locks of
  /// feeds, because no feed has a slash in its name.
  private static let lock = "news/"
  private static let lockWaitSeconds = 60.0

  /// Prepares the news before a sync. If no mark is stored yet, it is set to the newest change, so
  /// that changes by earlier syncs are not reported.
  init(_ database: any OffersStorage, _ feeds: FeedPresentations) async throws {
    self.database = database
    self.feeds = feeds
    guard try await database.findMark(of: Self.reader) == nil else { return }
    let now = Date()
    let lastID = try await database.fetchNews(after: nil, now: now).lastID
    try await database.setMark(ReaderMark(changeID: lastID, readAt: now), of: Self.reader)
  }

  /// Prints the news. If there are none, it prints nothing or, as JSON, a document with empty
  /// lists. A lock ensures that of two concurrent syncs only one reports each change.
  func report(isJSON: Bool) async throws {
    try await database.withSyncLock(on: Self.lock, waitSeconds: Self.lockWaitSeconds) {
      let mark = try await database.findMark(of: Self.reader)
      let now = Date()
      let (news, lastID) = try await database.fetchNews(after: mark, now: now)
      if isJSON {
        try Output.printData(json(news))
      } else if !news.isEmpty {
        try Output.print(.text(lines(news).joined(separator: "\n")))
      }
      if news.isEmpty, lastID == mark?.changeID { return }
      try await database.setNewsTold(news, lastID: lastID, reader: Self.reader, now: now)
    }
  }

  func lines(_ news: News) -> [String] {
    news.changes.map(ChangeReport(feeds: feeds).line)
      + news.failing.map { feed in
        let times = feed.failureCount == 1 ? "once" : "\(Units.count(feed.failureCount)) times"
        let reason = feed.message.map { ": \($0)" } ?? ""
        if let stopped = feed.stoppedAt {
          return DisplayText.oneLine(
            "\(feed.name) was stopped on \(Units.time(stopped))\(reason) "
              + "To start it again: offers sync \(feed.name) --force")
        }
        return DisplayText.oneLine(
          "\(feed.name) has failed \(times) since \(Units.time(feed.since))\(reason)")
      }
  }

  /// `{"changes":[…],"failing":[…]}`
  private func json(_ news: News) -> String {
    JSONWriter.document { json in
      json.pricedFeeds = feeds.pricedFeeds
      json.member("changes", each: news.changes) { $0.value($1) }
      json.member("failing", objects: news.failing) { json, feed in
        json.member("feed", feed.name)
        json.member("since", feed.since)
        json.member("failures", feed.failureCount)
        json.member("message", feed.message)
        json.member("stopped_at", feed.stoppedAt)
      }
    }
  }
}
