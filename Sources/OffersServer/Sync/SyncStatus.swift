import Foundation
import OffersCore

/// The progress of the running sync, or the result of the last one; `idle` before the first.
struct SyncStatus: Sendable {
  enum Phase: String, Sendable {
    case idle, running, done
  }

  /// The progress of one feed of the sync.
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

  /// The number of the sync, counted from 1 since the start of the server; nil before the first.
  var id: Int?
  var phase = Phase.idle
  var startedAt: Date?
  var finishedAt: Date?
  var feeds: [FeedStatus] = []
  /// The error of the sync as a whole, such as invalid feed definitions. The error of a single feed
  /// is in its `FeedStatus`.
  var error: OffersError?

  /// Changes the status of a feed, and appends one if the feed has none yet.
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
      // Progress may be reported after the result: both come from concurrent tasks.
      if feed.phase == .done || feed.phase == .failed { return }
      feed.phase = progress.isWriting ? .writing : .reading
      feed.bytes = progress.bytes
      feed.totalBytes = progress.totalBytes
      feed.records = progress.records
    }
  }

  /// Removes a feed of which another sync is running.
  mutating func leaveOut(_ feed: String) { feeds.removeAll { $0.feed == feed } }

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
