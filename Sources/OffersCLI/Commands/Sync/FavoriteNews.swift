import Foundation
import OffersCore
import OffersSQLite

/// Tells what is news about favorites, each thing once.
///
/// How far it was told is remembered under a reader's name of its own, and moves only after all was
/// printed: what a killed program did not print comes the next time.
struct FavoriteNews {
  private let database: OffersDatabase

  /// The reader that stands for what `--news` has printed.
  private static let reader = "news"
  /// The lock that one teller at a time holds; no feed has such a name.
  private static let lock = "news/"
  private static let lockWaitSeconds = 60.0

  /// Prepares before a sync. Whoever asks for the first time is told what comes from now on.
  init(_ database: OffersDatabase) async throws {
    self.database = database
    guard try await database.findMark(of: Self.reader) == nil else { return }
    let now = Date()
    let lastID = try await database.fetchNews(after: nil, now: now).lastID
    try await database.setMark(ReaderMark(changeID: lastID, readAt: now), of: Self.reader)
  }

  /// Prints the news: nothing when there are none, but for a program a document. Two that sync at the
  /// same time tell each thing once.
  func tell(isJSON: Bool) async throws {
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
