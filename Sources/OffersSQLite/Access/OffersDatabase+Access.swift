import Foundation
import GRDB
import OffersCore

extension OffersDatabase: SessionRepository {
  package func findSession(_ id: [UInt8]) async throws -> Session? {
    try await readStatement { try SessionTable.find(id, in: $0) }
  }

  package func fetchSessions() async throws -> [Session] {
    try await read { try SessionTable.list(in: $0) }
  }

  package func putSession(_ session: Session) async throws {
    try await write { database in
      try SessionTable.deleteExpired(at: session.createdAt, in: database)
      try SessionTable.insert(session, in: database)
    }
  }

  package func noteSession(_ id: [UInt8], seenAt: Date) {
    writeLater(.note) { try SessionTable.note(id, seenAt: seenAt, in: $0) }
  }

  package func endSessions(_ ids: [[UInt8]]) async throws {
    if ids.isEmpty { return }
    try await write { database in
      for id in ids { try SessionTable.delete(id, in: database) }
    }
  }
}

extension OffersDatabase: AttemptRepository {
  package func fetchAttempts() async throws -> [LoginAttempts] {
    try await read { try AttemptTable.list(in: $0) }
  }

  package func putAttempts(
    _ attempts: [LoginAttempts], removing networks: [String]
  ) async throws {
    try await write(.note, waitSeconds: Self.attemptWaitSeconds) { database in
      for network in networks { try AttemptTable.delete(network, in: database) }
      for each in attempts { try AttemptTable.put(each, in: database) }
    }
  }

  /// The maximum wait for other writers to store attempts, in seconds. The server keeps them in
  /// memory and tries again.
  private static let attemptWaitSeconds = 2.0
}
