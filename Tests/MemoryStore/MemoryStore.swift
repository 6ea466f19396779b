import OffersCore
import Synchronization

/// A store in memory, to show that the protocols of a store can be implemented without a database, and
/// to compare with.
///
/// It is as simple as its contract allows: all data is one value behind a lock, each query scans it, and
/// a write works on a copy that replaces the value when it succeeds. It implements what each user and
/// the sync engine need; sessions, cached images, exports, backups and pruning on demand are left out.
package final class MemoryStore: Sendable {
  /// The state of the store, which the records of all users share.
  private final class Shared: Sendable {
    let state = Mutex(MemoryState())
    /// The feeds whose sync lock is held.
    let syncing = Mutex<Set<String>>([])
  }

  private let shared: Shared
  let user: User.ID

  /// Creates an empty store, bound to its owner.
  package convenience init() { self.init(Shared(), user: User.ownerID) }

  private init(_ shared: Shared, user: User.ID) {
    self.shared = shared
    self.user = user
  }

  /// Reads one consistent state.
  func read<Result>(_ body: (MemoryState) throws -> Result) throws -> Result {
    try Task.checkCancellation()
    return try body(shared.state.withLock { $0 })
  }

  /// Writes all of a change or, if `body` throws, nothing.
  func write<Result>(_ body: (inout MemoryState) throws -> Result) throws -> Result {
    try Task.checkCancellation()
    return try shared.state.withLock { state in
      var copy = state
      let result = try body(&copy)
      copy.version += 1
      state = copy
      return result
    }
  }

  /// Takes or releases the sync lock of a feed.
  ///
  /// - Returns: false if it is held already.
  func setSyncing(_ feed: String, to isSyncing: Bool) -> Bool {
    shared.syncing.withLock { feeds in
      isSyncing ? feeds.insert(feed).inserted : feeds.remove(feed) != nil
    }
  }
}

extension MemoryStore: UserRecords {
  package func record(of user: User) -> MemoryStore { MemoryStore(shared, user: user.id) }
}

extension MemoryStore: CommitSignal {
  package func fetchDataVersion() async throws -> Int64 { try read { $0.version } }
}
