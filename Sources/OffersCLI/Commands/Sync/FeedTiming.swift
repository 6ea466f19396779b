import Foundation
import OffersCore
import OffersFeeds

/// When a feed is due, and what keeps it from being synced, as people read it.
struct FeedTiming {
  let feed: Feed
  /// Nil when the feed has no definition any more.
  let everySeconds: Int?
  private let summary: FeedSummary

  init(_ feed: Feed, _ definition: FeedDefinition?) {
    self.feed = feed
    summary = FeedSummary(name: feed.name, known: definition.map { KnownFeed($0) }, feed: feed)
    everySeconds = summary.known?.everySeconds
  }

  /// Where the next sync reads it from.
  var source: String { summary.source }

  /// When it should be synced next; nil when nothing but a person starts it again.
  var nextDueAt: Date? { summary.nextDueAt(now: Date()) }

  /// What is not as it should be, a line each, with what to do.
  func troubles(at now: Date) -> [String] {
    unnamedTroubles(at: now).map { DisplayText.oneLine("\(feed.name): \($0)") }
  }

  /// The same without the feed's name, as it comes.
  func unnamedTroubles(at now: Date) -> [String] {
    let fetch = feed.fetch
    var lines: [String] = []
    if everySeconds == nil {
      lines.append(
        "has no definition any more and is not synced. To give it up: offers feeds remove "
          + feed.name)
    }
    if let since = fetch.heldSince {
      let times = Self.times(fetch.heldCount)
      // An accident is seldom told the same way for days.
      let opinion =
        fetch.heldCount >= 3 && now.timeIntervalSince(since) >= 86_400
        ? "it has said so for a while, so it may be meant" : "it may be an accident"
      let held = feed.lastRun.flatMap { $0.outcome == .quarantined ? $0.error : nil }
      let hint = held?.hint ?? "To accept them: offers sync \(feed.name) --accept-removals"
      lines.append(
        "removals held back \(times) since \(Units.time(since)); \(opinion). "
          + (held.map { $0.message + " " } ?? "") + hint)
    }
    if let since = fetch.stoppedAt {
      lines.append(
        "stopped on \(Units.time(since)), its server says it is gone for good. To start it again: "
          + "offers sync \(feed.name) --force")
    } else if let since = fetch.failingSince {
      lines.append("failed \(Self.times(fetch.failureCount)) since \(Units.time(since))")
    }
    if let until = fetch.waitUntil, until > now {
      lines.append("its server asked to be left alone until \(Units.time(until))")
    }
    if let address = fetch.findNewAddress(of: feed.source) {
      lines.append(
        "has moved to \(address). To keep that: offers sync \(feed.name) --from "
          + ShellQuoting.word(address))
    }
    if let run = feed.lastRun, let error = run.error, fetch.stoppedAt == nil,
      run.outcome != .quarantined || fetch.heldSince == nil
    {
      lines.append(error.description)
    }
    return lines
  }

  private static func times(_ count: Int) -> String {
    count == 1 ? "once" : "\(Units.count(count)) times"
  }
}
