import Foundation
import OffersCore

/// The checks of a database, its file, its disk, and the clock of the machine.
struct DatabaseHealth {
  let place: any StorePlace
  let now: Date

  /// Runs the checks.
  ///
  /// - Returns: the findings, and the feeds and their definitions, which are empty if they cannot be read.
  func examine() async -> (
    findings: [Finding], feeds: [Feed], definitions: [StoredDefinition]
  ) {
    do {
      let database = try await place.open(.readOnly)
      // If the feeds cannot be read, pages are damaged, which the checks of the contents report.
      let feeds = (try? await database.fetchFeeds()) ?? []
      var findings = await examine(database, feeds)
      findings.append(await ClockHealth(database: database, now: now).examine())
      if let maintenance = database.maintenance { findings.append(await sizes(maintenance)) }
      // If users and logins cannot be read, pages are damaged, which is among the findings.
      let users = UserSummary.text((try? await database.fetchUsers()) ?? [])
      if let users { findings.append(Finding(.ok, "users", users)) }
      findings += [try? await LoginSummary(database, at: now)].compactMap { $0?.finding }
      return (findings, feeds, (try? await database.fetchDefinitions()) ?? [])
    } catch {
      let error = error as? OffersError ?? OffersError(.storageFailed, "\(error)")
      guard let file = place.file else {
        return (
          [Finding(.problem, "database", error.message, advice: error.advice)] + place.findings, [],
          []
        )
      }
      let refusal = Finding(
        .problem, "database", error.message, advice: await file.advice(on: error))
      // The file may be no database of this program, so only the problems among its findings are
      // reported.
      let around = file.exists ? file.examineFile() : []
      return (around.filter { $0.level == .problem } + [refusal], [], [])
    }
  }

  /// Checks the file and its contents. For a database on a server, the only finding names the server,
  /// whose own tools check it.
  private func examine(_ database: any OffersStorage, _ feeds: [Feed]) async -> [Finding] {
    guard let file = place.file, let maintenance = database.maintenance else {
      let engine = database.engine
      return [Finding(.ok, "database", "\(place.name), \(engine.name) \(engine.version)")]
        + place.findings
    }
    return file.examineFile()
      + [file.examineRemains(), disk(file, maintenance)]
      + maintenance.examineTurns(of: feeds.map(\.name)) + (await maintenance.examine(at: now))
  }

  /// Checks the free space. A vacuum and a backup need as much space as the file has.
  private func disk(_ file: any StoreFile, _ database: any StoreMaintenance) -> Finding {
    guard let free = file.findFreeBytes() else {
      return Finding(.ok, "disk", "the free space is not known")
    }
    let text = "\(Units.size(free)) are free"
    let advice: Hint = "Free some space. A sync without space fails and changes nothing"
    if free < Self.leastBytes { return Finding(.problem, "disk", "only \(text)", advice: advice) }
    if free < database.sizeBytes + Self.roomyBytes {
      return Finding(.warning, "disk", "only \(text)", advice: advice)
    }
    return Finding(.ok, "disk", text)
  }

  private func sizes(_ database: any StoreMaintenance) async -> Finding {
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
        advice:
          "A program that reads for a long time keeps the log from being truncated. End it, then sync"
      )
    }
    if share > database.compactedShare, sizes.free > Self.largeFreeBytes {
      return Finding(.warning, "sizes", text, advice: "Release the free space: offers prune")
    }
    return Finding(.ok, "sizes", text)
  }

  private static let leastBytes = 20_000_000
  private static let roomyBytes = 100_000_000
  private static let largeLogBytes = 64_000_000
  private static let largeFreeBytes = 10_000_000
}
