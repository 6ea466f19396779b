import Foundation
import OffersCore

/// How far the sync is that the server runs, or how the last one ended.
struct SyncStatus: Sendable {
  enum Phase: String, Sendable {
    case idle, running, done
  }

  /// One of its feeds.
  struct FeedStatus: Sendable {
    enum Phase: String, Sendable {
      case waiting, reading, writing, done, failed
    }

    let feed: String
    var phase = Phase.waiting
    var bytes = 0
    var totalBytes: Int?
    var records = 0
    var run: SyncRun?
    var error: OffersError?
  }

  /// Counts the syncs of this server from 1; nil before the first.
  var id: Int?
  var phase = Phase.idle
  var startedAt: Date?
  var finishedAt: Date?
  var feeds: [FeedStatus] = []
  /// Why none of it could be done.
  var error: OffersError?

  /// Changes what is known of a feed, which may be the first time that it is heard of.
  mutating func change(_ feed: String, _ body: (inout FeedStatus) -> Void) {
    let index =
      feeds.firstIndex { $0.feed == feed }
      ?? {
        feeds.append(FeedStatus(feed: feed))
        return feeds.count - 1
      }()
    body(&feeds[index])
  }

  mutating func note(_ progress: SyncProgress) {
    change(progress.feed) { feed in
      // What was on its way when the feed came to its end comes too late.
      if feed.phase == .done || feed.phase == .failed { return }
      feed.phase = progress.isWriting ? .writing : .reading
      feed.bytes = progress.bytes
      feed.totalBytes = progress.totalBytes
      feed.records = progress.records
    }
  }

  mutating func finish(_ feed: String, _ result: Result<SyncRun, OffersError>) {
    change(feed) { feed in
      switch result {
      case .success(let run):
        feed.phase = run.error == nil || run.outcome == .quarantined ? .done : .failed
        feed.run = run
        feed.error = run.error
        feed.bytes = max(feed.bytes, run.bytes)
      case .failure(let error):
        feed.phase = .failed
        feed.error = error
      }
    }
  }
}

extension JSONWriter {
  mutating func value(_ status: SyncStatus) {
    object { json in
      json.member("id", status.id)
      json.member("state", status.phase.rawValue)
      json.member("started_at", status.startedAt)
      json.member("finished_at", status.finishedAt)
      json.member("error", status.error)
      json.member("feeds", objects: status.feeds) { json, feed in
        json.member("feed", feed.feed)
        json.member("state", feed.phase.rawValue)
        json.member("bytes", feed.bytes)
        json.member("total_bytes", feed.totalBytes)
        json.member("records", feed.records)
        json.member("run", feed.run)
        json.member("error", feed.error)
      }
    }
  }
}
