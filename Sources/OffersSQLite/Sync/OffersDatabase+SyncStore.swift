import Foundation
import GRDB
import OffersCore
import OffersStore

extension OffersDatabase: SyncStore {
  package var scratchFolder: String { file.folder }

  package func withSyncLocks<Result: Sendable>(
    on feeds: [String], waitSeconds: Double, _ body: @Sendable () async throws -> Result
  ) async throws -> Result {
    try checkOpen()
    let lock = try file.makeLock()
    defer { lock.unlockAll() }
    let deadline = ContinuousClock.now + .wait(seconds: waitSeconds)
    for feed in feeds {
      guard try await lock.lock(byte: Self.lockByte(of: feed), until: deadline) else {
        throw OffersError.syncingElsewhere(feed)
      }
    }
    return try await body()
  }

  /// The byte of the lock file for a feed's sync lock, by a hash of its name; byte 0 is the write
  /// guard's.
  static func lockByte(of feed: String) -> Int64 {
    var hash = ContentHash(seed: 2)
    var feed = feed
    feed.withUTF8 { hash.combine(UnsafeRawBufferPointer($0)) }
    return 1 + Int64(hash.value >> 24)
  }
}
