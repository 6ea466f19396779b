import Foundation
import OffersCore
import OffersFeeds
import OffersPlatform

/// When a feed is due, and the problems with its syncs, for people.
struct FeedTroubles {
  let feed: Feed
  /// The interval between syncs; nil if the feed has no definition any more.
  let everySeconds: Int?
  private let summary: FeedSummary

  init(_ feed: Feed, _ definition: FeedDefinition?) {
    self.feed = feed
    summary = FeedSummary(name: feed.name, known: definition.map { KnownFeed($0) }, feed: feed)
    everySeconds = summary.known?.everySeconds
  }

  /// The source that the next sync reads, with hidden values.
  var source: String {
    summary.known == nil ? UndefinedFeed.source(of: summary) : summary.shownSource
  }

  /// How the feed's offers are shown.
  var presentation: FeedPresentation { summary.presentation }

  /// When the feed is next due; nil if it has no definition, or its server reported that it is
  /// permanently gone.
  var nextDueAt: Date? { summary.nextDueAt(now: Date()) }

  /// The problems of the feed, safe for a terminal and one line each, with advice for most of them.
  /// Each line begins with the name of the feed.
  func troubles(at now: Date) -> [String] {
    unnamedTroubles(at: now).map { DisplayText.oneLine("\(feed.name): \($0)") }
  }

  /// The problems without the name of the feed, not made safe for a terminal.
  func unnamedTroubles(at now: Date) -> [String] {
    let fetch = feed.fetch
    var lines: [String] = []
    if let advice = UndefinedFeed.advice(on: summary) { lines.append(advice) }
    if let held = fetch.held {
      let error = feed.lastRun.flatMap { $0.outcome == .quarantined ? $0.error : nil }
      let hint =
        error?.advice?.commandText ?? SyncReport.heldCommands(of: feed.name)
      lines.append(held.sentence(of: feed.currentCount, presentation.noun, at: now) + ". " + hint)
    }
    if let since = fetch.stoppedAt {
      lines.append(
        "stopped on \(Units.time(since)): its server says it is gone for good. To start it again: "
          + "offers sync \(feed.name) --force")
    } else if let since = fetch.failingSince {
      lines.append("failed \(Self.times(fetch.failureCount)) since \(Units.time(since))")
    }
    if let until = fetch.waitUntil, until > now {
      lines.append("its server asked for no requests until \(Units.time(until))")
    }
    if let address = fetch.findNewAddress(of: summary.source).map({
      AddressRedaction.hidden(in: $0)
    }) {
      lines.append(
        "has moved to \(address). To use that address: offers sync \(feed.name) --from "
          + ShellQuoting.word(address))
    }
    if let run = feed.lastRun, let error = run.error, fetch.stoppedAt == nil,
      run.outcome != .quarantined || fetch.held == nil
    {
      lines.append(error.withCommands.description)
    }
    return lines
  }

  private static func times(_ count: Int) -> String {
    count == 1 ? "once" : "\(Units.count(count)) times"
  }
}
