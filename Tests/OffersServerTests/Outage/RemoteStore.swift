import OffersCore
import OffersStore
import Synchronization
import TestStores

/// A database on another machine, as it were: a test decides whether it can be reached.
struct RemoteStore: Sendable {
  /// The connection to the database.
  final class Line: Sendable {
    private let failure = Mutex<OffersError?>(nil)
    /// Waits before each read of the readiness; a test can have it hang.
    let gate = Mutex<(@Sendable () async -> Void)?>(nil)
    /// Called before each access; a test can have it hang.
    let hold = Mutex<(@Sendable () async throws -> Void)?>(nil)

    func cut(_ code: OffersError.Code = .storeUnreachable) {
      failure.withLock {
        $0 = OffersError(
          code, "Could not connect to db1.internal, port 5432.", cause: "ECONNREFUSED")
      }
    }

    func mend() { failure.withLock { $0 = nil } }

    func check() throws {
      if let failure = failure.withLock({ $0 }) { throw failure }
    }
  }

  /// The database as the server reaches it.
  let database: OffersDatabase
  let line = Line()

  init(_ base: OffersDatabase) {
    let engine = WatchedEngine(base.engine) { [line] call in
      if call == .readiness { await line.gate.withLock { $0 }?() }
      try line.check()
      try await line.hold.withLock { $0 }?()
    }
    database = OffersDatabase(engine, definitions: base.definitions)
  }
}
