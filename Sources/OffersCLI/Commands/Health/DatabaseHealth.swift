import Foundation
import OffersCore
import OffersSQLite

/// The checks of a database, its file, its disk, and the clock of the machine.
struct DatabaseHealth {
  let path: String
  let now: Date

  /// Runs the checks.
  ///
  /// - Returns: the findings, and the feeds, which are empty if they cannot be read.
  func examine() async -> (findings: [Finding], feeds: [Feed]) {
    do {
      let database = try await OffersDatabase.open(path: path, access: .readOnly)
      // If the feeds cannot be read, pages are damaged, which `examine(at:)` below reports.
      let feeds = (try? await database.fetchFeeds()) ?? []
      let findings =
        OffersDatabase.examineFile(at: path)
        + [OffersDatabase.examineRemains(at: path), disk(database)]
        + database.examineTurns(of: feeds.map(\.name))
      let contents = await database.examine(at: now)
      var rest = [await ClockHealth(database: database, now: now).examine(), await sizes(database)]
      // If users and logins cannot be read, pages are damaged, which `examine(at:)` reports.
      let users = UserSummary.text((try? await database.fetchUsers()) ?? [])
      if let users { rest.append(Finding(.ok, "users", users)) }
      rest += [try? await LoginSummary(database, at: now)].compactMap { $0?.finding }
      return (findings + contents + rest, feeds)
    } catch {
      let error = error as? OffersError ?? OffersError(.storageFailed, "\(error)")
      let refusal = Finding(
        .problem, "database", error.message,
        advice: await OffersDatabase.advice(on: error, at: path))
      // The file may be no database of this program, so only the problems among its findings are
      // reported.
      let around = OffersDatabase.exists(at: path) ? OffersDatabase.examineFile(at: path) : []
      return (around.filter { $0.level == .problem } + [refusal], [])
    }
  }

  /// Checks the free space. A vacuum and a backup need as much space as the file has.
  private func disk(_ database: OffersDatabase) -> Finding {
    guard let free = OffersDatabase.findFreeBytes(for: path) else {
      return Finding(.ok, "disk", "the free space is not known")
    }
    let text = "\(Units.size(free)) are free"
    let advice: Advice = "Free some space. A sync without space fails and changes nothing"
    if free < Self.leastBytes { return Finding(.problem, "disk", "only \(text)", advice: advice) }
    if free < database.sizeBytes + Self.roomyBytes {
      return Finding(.warning, "disk", "only \(text)", advice: advice)
    }
    return Finding(.ok, "disk", text)
  }

  private func sizes(_ database: OffersDatabase) async -> Finding {
    guard let sizes = try? await database.fetchSizes() else {
      return Finding(.ok, "sizes", "\(Units.size(database.sizeBytes))")
    }
    let share = sizes.file == 0 ? 0 : Double(sizes.free) / Double(sizes.file)
    let text =
      "file \(Units.size(sizes.file)), \(Int(share * 100)) % of it free; "
      + "log \(Units.size(sizes.log)); images \(Units.size(sizes.images))"
    if sizes.log > Self.largeLogBytes {
      return Finding(
        .warning, "sizes", text,
        advice: "A long-running reader keeps the log from being truncated. End it, then sync")
    }
    if share > Self.freeShare, sizes.free > Self.largeFreeBytes {
      return Finding(.warning, "sizes", text, advice: "Release the free space: offers prune")
    }
    return Finding(.ok, "sizes", text)
  }

  private static let leastBytes = 20_000_000
  private static let roomyBytes = 100_000_000
  private static let largeLogBytes = 64_000_000
  private static let largeFreeBytes = 10_000_000
  /// The share of free pages above which `prune` vacuums the file.
  private static let freeShare = OffersDatabase.freeShare
}
