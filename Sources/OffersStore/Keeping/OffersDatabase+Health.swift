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
  /// Looks at a database's file and folder, without opening it.
  package static func examineFile(at path: String) -> [Finding] {
    FileHealth(path: path).ownership
  }

  /// What to do about a database that could not be opened.
  package static func advice(on error: OffersError, at path: String) -> String? {
    guard error.hint == StorageFailure.damageHint else { return error.hint }
    do {
      _ = try OffersDatabase(salvaging: path)
      return Integrity.damageAdvice
    } catch {
      return StorageFailure.lossHint
    }
  }

  /// Looks at how writers take turns.
  package func examineTurns(of feeds: [String]) -> [Finding] {
    FileHealth(path: path).turns(feeds: feeds)
  }

  /// Looks through all that is in it. What cannot be read is a problem found, not an error.
  package func examineBlocking(at now: Date) -> [Finding] {
    HealthCheck.all.flatMap { examine($0, at: now) }
  }

  private func examine(_ check: HealthCheck, at now: Date) -> [Finding] {
    do {
      // Each looks with one statement. A transaction that met a damaged page cannot even end well.
      return try readStatement { try check.examine($0, now) }
    } catch {
      let reason = (error as? OffersError)?.message ?? "\(error)"
      return [
        Finding(.problem, check.subject, "could not be looked at: \(reason)")
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
        // Where pages are damaged, whatever else is written may damage more.
        if check.subject == HealthCheck.all.first?.subject { break }
      }
    }
    return repairs
  }
}
