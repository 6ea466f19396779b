import Foundation
import Synchronization

/// An LRU cache of responses by target, with a limit of bytes.
///
/// Each entry was made from one version of the database, and is found as long as that is the version. It
/// is kept afterwards, because it is all that there is while the database cannot be reached.
final class ResponseCache: Sendable {
  /// A response.
  struct Entry: Sendable {
    let content: TaggedContent
    /// The time of expiry; nil if only a write invalidates the entry.
    let until: ContinuousClock.Instant?
  }

  /// An entry and what is known about it.
  private struct Slot {
    let entry: Entry
    let bytes: Int
    /// The version of the database that the entry was made from.
    let version: Int64
    /// When the entry was last known to be current.
    var currentAt: Date
    /// The number of the last use.
    var lastUse: Int
  }

  private struct State {
    /// The slots by target.
    var slots: [String: Slot] = [:]
    var bytes = 0
    /// The number of uses so far.
    var uses = 0

    mutating func use(_ target: String) {
      uses += 1
      slots[target]?.lastUse = uses
    }

    mutating func remove(_ target: String) {
      bytes -= slots.removeValue(forKey: target)?.bytes ?? 0
    }
  }

  private let state = Mutex(State())
  private let limitBytes: Int
  private let largestBytes: Int
  /// The estimated size of an entry besides its content and its target, in bytes.
  private static let overheadBytes = 1024

  init(limitBytes: Int = 32 << 20) {
    self.limitBytes = limitBytes
    largestBytes = limitBytes / 8
  }

  /// The response to a target, if it was made from this version of the database and has not expired.
  func find(_ target: String, version: Int64, now: Date) -> Entry? {
    state.withLock { state in
      guard let slot = state.slots[target], slot.version == version else { return nil }
      if let until = slot.entry.until, until <= .now { return nil }
      state.slots[target]?.currentAt = now
      state.use(target)
      return slot.entry
    }
  }

  /// The last response to a target, of whatever version, if it was current within the hour, and for how
  /// many seconds it has not been known to be.
  func findHeld(_ target: String, now: Date) -> (entry: Entry, ageSeconds: Int)? {
    state.withLock { state in
      guard let slot = state.slots[target], StoreOutage.isHeld(since: slot.currentAt, at: now)
      else { return nil }
      state.use(target)
      return (slot.entry, max(0, Int(now.timeIntervalSince(slot.currentAt))))
    }
  }

  /// Adds a response, unless it is larger than an eighth of the cache. It replaces the response to
  /// the same target.
  ///
  /// - Parameters:
  ///   - entry: the response to add.
  ///   - target: the path and query of the request that it answers.
  ///   - version: the version of the database from before the response was made.
  ///   - now: the present time.
  func put(_ entry: Entry, at target: String, version: Int64, now: Date) {
    let bytes = entry.content.storedBytes + 2 * target.utf8.count + Self.overheadBytes
    guard bytes <= largestBytes else { return }
    state.withLock { state in
      state.remove(target)
      if state.bytes + bytes > limitBytes {
        // Room for an eighth at once, so that most responses are added without looking for the oldest.
        for (oldest, _) in state.slots.sorted(by: { $0.value.lastUse < $1.value.lastUse }) {
          state.remove(oldest)
          if state.bytes + largestBytes <= limitBytes { break }
        }
      }
      state.slots[target] = Slot(
        entry: entry, bytes: bytes, version: version, currentAt: now, lastUse: 0)
      state.bytes += bytes
      state.use(target)
    }
  }

  /// The number and the total size of the entries, for tests.
  var contents: (count: Int, bytes: Int) { state.withLock { ($0.slots.count, $0.bytes) } }
}
