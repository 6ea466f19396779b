import Foundation
import GRDB
import OffersCore
import OffersStore

extension SQLitePlace {
  package func examineFile() -> [Finding] { FileHealth(path: path).ownership }

  package func hint(on error: OffersError) async -> Hint? {
    guard error.hint == StorageFailure.damageHint else { return error.hint }
    return canBeSalvaged() ? Integrity.damageHint : StorageFailure.lossHint
  }
}

extension SQLiteEngine: StoreMaintenance {
  package var compactedShare: Double { Self.freeShare }

  /// The parts of the schema that no migration created, as the database was opened for writing; see
  /// `SchemaObject.foreign(in:)`.
  package var foreignSchema: [String] { writer?.foreignSchema ?? [] }

  package func file(at path: String) -> any StoreFile { SQLitePlace(unchecked: path) }

  package var sizeBytes: Int { file.bytes + file.logBytes }

  package func fetchSizes() async throws -> StoreSizes {
    try await read { [file] database in
      func number(_ sql: String) throws -> Int { try Int.fetchOne(database, sql: sql) ?? 0 }
      return StoreSizes(
        file: file.bytes, log: file.logBytes,
        free: try number("PRAGMA freelist_count").multiplied(clamped: number("PRAGMA page_size")),
        images: try number("SELECT sum(length(bytes)) FROM image_cache"))
    }
  }

  package func examineTurns(of feeds: [String]) -> [Finding] {
    FileHealth(path: path).turns(feeds: feeds)
  }

  package func examine() async -> [Finding] {
    var findings: [Finding] = []
    for check in HealthCheck.all { findings += await examine(check) }
    return findings
  }

  private func examine(_ check: HealthCheck) async -> [Finding] {
    do {
      let findings = try await read(inTransaction: false) { try check.examine($0) }
      guard let lookFurther = check.lookFurther, findings.allSatisfy({ $0.level == .ok }) else {
        return findings
      }
      return [try await tryWriting(lookFurther)]
    } catch {
      let error = error as? OffersError ?? OffersError(.storageFailed, "\(error)")
      return [
        Finding(
          .problem, check.subject, "could not be checked: \(error.message)", hint: error.hint)
      ]
    }
  }

  /// Runs a check on a writable connection, unless another process is writing.
  private func tryWriting(
    _ body: @escaping @Sendable (Database?, _ obstacle: String) throws -> Finding
  ) async throws -> Finding {
    let isWriting = "somebody is writing"
    do {
      // Opening the database for writing would wait for the writer.
      if try file.makeLock().isHeld() { return try body(nil, isWriting) }
      let finding = try await writing(always: true) { writer in
        try await writer.writeTrialIfFree { try body($0, "") }
      }
      return try finding ?? body(nil, isWriting)
    } catch let error as OffersError where error.hint != StorageFailure.damageHint {
      return try body(nil, "the database cannot be written")
    }
  }

  /// Repairs each kind of derived data in one transaction.
  package func repair() async -> [Repair] {
    var repairs: [Repair] = []
    for check in HealthCheck.all {
      let findings = await examine(check)
      guard let work = check.repair, findings.contains(where: { $0.level != .ok }) else { continue }
      do {
        // With damaged pages, a write may cause more damage.
        if let damage = findings.first(where: { $0.hint == Integrity.damageHint }) {
          throw OffersError(.storageFailed, damage.message, hint: damage.hint)
        }
        let message = try await writing { writer in try await writer.write { try work($0) } }
        repairs.append(Repair(subject: check.subject, message: message, isDone: true))
      } catch {
        let reason = (error as? OffersError)?.message ?? "\(error)"
        repairs.append(Repair(subject: check.subject, message: reason, isDone: false))
        if check.subject == HealthCheck.all.first?.subject { break }
      }
    }
    return repairs
  }
}
