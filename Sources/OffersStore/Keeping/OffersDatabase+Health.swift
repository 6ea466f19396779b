import Foundation
import GRDB
import OffersCore

/// What a repair did, or why it could not.
package struct Repair: Sendable {
  package let subject: String
  package let message: String
  package let isDone: Bool
}

extension OffersDatabase {
  /// Looks through a database's file and what is around it, without opening it.
  package static func examineFile(at path: String, feeds: [String] = []) -> [Finding] {
    FileHealth(path: path).examine(feeds: feeds)
  }

  /// Looks through all that is in it. What cannot be read is a problem found, not an error.
  package func examineBlocking(at now: Date) -> [Finding] {
    HealthCheck.all.flatMap { examine($0, at: now) } + [sizes]
  }

  private func examine(_ check: HealthCheck, at now: Date) -> [Finding] {
    do {
      return try readBlocking { try check.examine($0, now) }
    } catch {
      let reason = (error as? OffersError)?.message ?? "\(error)"
      return [
        Finding(
          .problem, check.subject, "could not be looked at: \(reason)",
          advice: Integrity.damageAdvice)
      ]
    }
  }

  /// Puts right what can be made anew from the rest, each in one transaction. No offer, favorite or
  /// chosen source is touched, and what cannot be put right stays as it is.
  package func repair(at now: Date) async -> [Repair] {
    var repairs: [Repair] = []
    for check in HealthCheck.all {
      guard let repair = check.repair,
        examine(check, at: now).contains(where: { $0.level != .ok })
      else { continue }
      do {
        let message = try await write { try repair($0, now) }
        repairs.append(Repair(subject: check.subject, message: message, isDone: true))
      } catch {
        let reason = (error as? OffersError)?.message ?? "\(error)"
        repairs.append(Repair(subject: check.subject, message: reason, isDone: false))
      }
    }
    return repairs
  }

  /// How large the parts of the file are.
  private var sizes: Finding {
    let free = try? readBlocking { database in
      (
        pages: try Int.fetchOne(database, sql: "PRAGMA freelist_count") ?? 0,
        all: try Int.fetchOne(database, sql: "PRAGMA page_count") ?? 0
      )
    }
    let share = free.map { $0.all == 0 ? 0 : Double($0.pages) / Double($0.all) } ?? 0
    let text =
      "file \(file.bytes / 1000) kB, \(Int(share * 100)) % of it free, log \(file.logBytes / 1000) kB"
    if file.logBytes > Self.largeLogBytes {
      return Finding(
        .warning, "sizes", text,
        advice: "A command that has been reading for long keeps the log: end it, then sync")
    }
    if share > Self.freeShare, file.bytes > Self.largeFreeBytes {
      return Finding(
        .warning, "sizes", text, advice: "Write the file without what is free: offers prune")
    }
    return Finding(.ok, "sizes", text)
  }

  private static let largeLogBytes = 64_000_000
  private static let largeFreeBytes = 10_000_000
}
