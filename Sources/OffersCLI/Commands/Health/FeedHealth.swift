import Foundation
import OffersCore
import OffersFeeds

/// The checks of the feeds and of the user's file of definitions.
struct FeedHealth {
  let path: SettingPath
  /// The definitions that the database keeps.
  let stored: [StoredDefinition]
  let feeds: [Feed]
  let now: Date
  /// Whether a schedule is installed, which then is not proposed.
  let isScheduled: Bool

  func examine() -> [Finding] {
    let configuration: FeedConfiguration
    do {
      configuration = try path.load().including(stored)
    } catch {
      let error = error as? OffersError
      return [
        Finding(
          .problem, "definitions", error?.message ?? "\(path.text) could not be read",
          advice: error?.advice)
      ]
    }
    let own = configuration.own.count
    let what =
      own == 0
      ? "only the shipped ones; none of your own in \(path.text)"
      : "\(Units.count(own)) of your own in \(path.text)"
    let definitions =
      configuration.absentFile.map { file in
        Finding(
          .warning, "definitions",
          "there is no file \(file), which \(path.origin == .option ? "--config" : "OFFERS_CONFIG") names",
          advice: Hint(
            "Check its path, or add your feeds.", command: "offers feeds add NAME SOURCE"))
      } ?? Finding(.ok, "definitions", what)
    let faults = configuration.faults.sorted { $0.key < $1.key }.map { name, error in
      Finding(
        .problem, "definitions", error.message, advice: "Correct it: offers feeds edit \(name)")
    }
    return [definitions] + faults
      + feeds.map { feed in
        // `find` throws only for an invalid definition, which is among the findings.
        let definition = try? configuration.find(feed.name)
        return examine(
          FeedSummary(name: feed.name, known: definition.map { KnownFeed($0) }, feed: feed), feed)
      }
  }

  private func examine(_ summary: FeedSummary, _ feed: Feed) -> Finding {
    let subject = "feed \(feed.name)"
    let troubles = summary.unnamedTroubles(at: now)
    let isBroken =
      summary.known == nil || feed.fetch.stoppedAt != nil
      || feed.fetch.failingSince.map { now.timeIntervalSince($0) >= News.failingSeconds } ?? false
    if !troubles.isEmpty {
      return Finding(isBroken ? .problem : .warning, subject, troubles.joined(separator: "; "))
    }
    guard feed.lastRun != nil else {
      return Finding(
        .warning, subject, "was never synced", advice: "Sync it: offers sync \(feed.name)")
    }
    if let due = summary.nextDueAt(now: now), let every = summary.known?.everySeconds,
      now.timeIntervalSince(due) > TimeInterval(every)
    {
      return Finding(
        .warning, subject, "has been due since \(Units.time(due))",
        advice: isScheduled
          ? "Sync it: offers sync --due"
          : "Sync it: offers sync --due. To schedule syncs: offers schedule install")
    }
    return Finding(
      .ok, subject,
      "\(Units.count(feed.currentCount, summary.presentation.noun)), \(summary.lastSync(at: now))")
  }
}
