import Foundation
import OffersCore
import OffersSQLite

/// The printer of `--news`, which reports each change of a favorite once.
///
/// The last reported change is stored as the mark of a reader, and only after everything was
/// printed. If the program is killed before, the next run prints the news again.
struct NewsReport {
  private let database: OffersDatabase

  /// The name of the reader whose mark `--news` uses.
  private static let reader = "news"
  /// The lock for printing the news. Its name is not a valid name of a feed.
  private static let lock = "news/"
  private static let lockWaitSeconds = 60.0

  /// Prepares the news before a sync. On the first use it sets the mark, so that earlier changes
  /// are not reported.
  init(_ database: OffersDatabase) async throws {
    self.database = database
    guard try await database.findMark(of: Self.reader) == nil else { return }
    let now = Date()
    let lastID = try await database.fetchNews(after: nil, now: now).lastID
    try await database.setMark(ReaderMark(changeID: lastID, readAt: now), of: Self.reader)
  }

  /// Prints the news: without news nothing, or an empty JSON document. A lock ensures that of two
  /// concurrent syncs only one reports each change.
  func report(isJSON: Bool) async throws {
    try await database.withSyncLock(on: Self.lock, waitSeconds: Self.lockWaitSeconds) {
      let mark = try await database.findMark(of: Self.reader)
      let now = Date()
      let (news, lastID) = try await database.fetchNews(after: mark, now: now)
      if isJSON {
        try Output.print(Self.json(news))
      } else if !news.isEmpty {
        try Output.print(Self.lines(news).joined(separator: "\n"))
      }
      if news.isEmpty, lastID == mark?.changeID { return }
      try await database.setNewsTold(news, lastID: lastID, reader: Self.reader, now: now)
    }
  }

  static func lines(_ news: News) -> [String] {
    news.changes.map(ChangeReport.line)
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
  private static func json(_ news: News) -> String {
    JSONWriter.document { json in
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
