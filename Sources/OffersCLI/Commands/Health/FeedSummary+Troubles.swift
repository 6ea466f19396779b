import Foundation
import OffersCore
import OffersFeeds
import OffersPlatform

/// The cells of a feed in a table, and its problems, for people.
extension FeedSummary {
  /// The source that the next sync reads, with hidden values, and a note on a feed without a definition.
  var nextSource: String { known == nil ? UndefinedFeed.source(of: self) : shownSource }

  /// The outcome and the age of the last sync.
  func lastSync(at now: Date) -> String {
    guard let feed else { return "not subscribed" }
    if feed.triedOther, let last = feed.lastSuccessAt {
      return "\(SyncOutcome.updated.word) \(Units.age(of: last, at: now))"
    }
    return feed.lastRun.map { "\($0.word) \(Units.age(of: $0.startedAt, at: now))" }
      ?? "never"
  }

  /// When the feed is next due; a dash if it is not synced any more.
  func nextDue(at now: Date) -> String {
    nextDueAt(now: now).map { $0 <= now ? "now" : Units.time($0) } ?? "–"
  }

  /// The problems of the feed, safe for a terminal and one line each, with advice for most of them.
  /// Each line begins with the name of the feed.
  func troubles(at now: Date) -> [String] {
    unnamedTroubles(at: now).map { DisplayText.oneLine("\(name): \($0)") }
  }

  /// The problems without the name of the feed, not made safe for a terminal.
  func unnamedTroubles(at now: Date) -> [String] {
    var lines: [String] = []
    if let advice = UndefinedFeed.advice(on: self) { lines.append(advice) }
    guard let feed else { return lines }
    let fetch = feed.fetch
    if let held = fetch.held {
      let error = feed.lastRun.flatMap { $0.outcome == .quarantined ? $0.error : nil }
      let hint = error?.advice?.printed ?? SyncReport.heldCommands(of: name)
      lines.append(held.sentence(of: feed.currentCount, presentation.noun, at: now) + ". " + hint)
    }
    if let since = fetch.stoppedAt {
      lines.append(
        "stopped on \(Units.time(since)): its server says it is gone for good. To start it again: "
          + "offers sync \(name) --force")
    } else if let since = fetch.failingSince {
      lines.append("failed \(Units.times(fetch.failureCount)) since \(Units.time(since))")
    }
    if let until = fetch.waitUntil, until > now {
      lines.append("its server asked for no requests until \(Units.time(until))")
    }
    if let address = fetch.findNewAddress(of: source).map({
      AddressRedaction.hidden(in: $0)
    }) {
      lines.append(
        "has moved to \(address). To use that address: offers sync \(name) --from "
          + ShellQuoting.word(address))
    }
    if let run = feed.lastRun, let error = run.error, fetch.stoppedAt == nil, !feed.triedOther,
      error.code != .noNetwork, run.outcome != .quarantined || fetch.held == nil
    {
      lines.append(error.withCommands.description)
    }
    return lines
  }
}
