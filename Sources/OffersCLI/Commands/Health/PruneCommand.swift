import ArgumentParser
import Foundation
import OffersCore
import OffersFeeds

struct PruneCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "prune",
    abstract: "Remove offers that are gone, and old history.",
    usage: "offers prune [<options>]",
    discussion: """
      Removes offers that have been gone for \(vanishedDays) days, changes older than \
      \(historyDays) days, and syncs that nothing refers to any more. Favorites are never removed, nor is their history. That a removed offer was new is not counted \
      among its changes.

      If the last two syncs of other days are not of the last two weeks, the clock may be wrong, and ages \
      are counted from the earlier one.

      EXAMPLES
        offers prune --dry-run
        offers prune --older-than 12w
      """)

  @Option(
    parsing: .unconditional,
    help: .value("time", "Remove offers gone for this long: 12h, 30d, 12w."))
  var olderThan = "\(Self.vanishedDays)d"

  @Flag(help: "Print what would be removed, and remove nothing.") var dryRun = false

  @Flag(help: "Count ages from now, whatever the last syncs say about the clock.")
  var trustClock = false

  @Flag(.json) var json = false
  @OptionGroup var location: DatabaseOptions

  private static let vanishedDays = Retention.vanishedOfferSeconds / Retention.daySeconds
  private static let historyDays = Retention.historySeconds / Retention.daySeconds

  func run() async throws {
    let now = Date()
    let goneBefore = now - (try PeriodStart.seconds(parsing: olderThan))
    // Opening for reading fails without a database; opening for writing would create one.
    var database = try await location.open(.readOnly)
    let before = database.maintenance?.sizeBytes
    if !dryRun { database = try await location.open(.readWrite) }
    let counts = try await database.prune(
      goneBefore: goneBefore, now: now, trustsClock: trustClock, isTrial: dryRun)
    let after = database.maintenance?.sizeBytes
    if json {
      return try Output.print(
        .json([
          "offers": counts.offers, "changes": counts.changes, "runs": counts.runs,
          "dry_run": dryRun, "counted_from": counts.countedFrom, "bytes_before": before,
          "bytes_after": after,
        ]))
    }
    if let from = counts.countedFrom {
      Output.note(
        """
        Ages are counted from the sync of \(Units.time(from)), because the clock may be wrong. If it is \
        right, add --trust-clock.
        """)
    }
    let parts = [
      Units.count(counts.offers, "gone offer"), Units.count(counts.changes, "change"),
      Units.count(counts.runs, "sync"),
    ]
    let what = "\(parts[0]), \(parts[1]) and \(parts[2])"
    if dryRun {
      let size = before.map { " The file has \(Units.size($0))." } ?? ""
      try Output.print("Would remove \(what).\(size)")
    } else if let before, let after {
      try Output.print(
        "Removed \(what). The file has \(Units.size(after)); before it had \(Units.size(before)).")
    } else {
      try Output.print("Removed \(what).")
    }
  }
}
