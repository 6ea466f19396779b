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

  /// An element of the array that holds the doubly linked list of entries in the order of use.
  private struct Slot {
    /// Nil in a slot that is not used.
    var entry: Entry?
    var key: String
    /// The version of the database that the entry was made from.
    var version: Int64
    /// When the entry was last known to be current.
    var currentAt: Date
    /// The indexes of the neighbors in the list; -1 for none.
    var older: Int
    var newer: Int
  }

  private struct State {
    /// The index of the slot by target.
    var indexes: [String: Int] = [:]
    var slots: [Slot] = []
    /// The indexes of unused slots.
    var free: [Int] = []
    var oldest = -1
    var newest = -1
    var bytes = 0
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
      guard let index = state.indexes[target], state.slots[index].version == version else {
        return nil
      }
      guard let entry = state.slots[index].entry else { return nil }
      if let until = entry.until, until <= .now { return nil }
      state.slots[index].currentAt = now
      Self.use(index, in: &state)
      return entry
    }
  }

  /// The last response to a target, of whatever version, if it was current within the hour, and for how
  /// many seconds it has not been known to be.
  func findHeld(_ target: String, now: Date) -> (entry: Entry, ageSeconds: Int)? {
    state.withLock { state in
      guard let index = state.indexes[target] else { return nil }
      let slot = state.slots[index]
      guard let entry = slot.entry, StoreOutage.isHeld(since: slot.currentAt, at: now) else {
        return nil
      }
      Self.use(index, in: &state)
      return (entry, max(0, Int(now.timeIntervalSince(slot.currentAt))))
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
    let bytes = Self.bytes(entry, target)
    guard bytes <= largestBytes else { return }
    state.withLock { state in
      if let index = state.indexes[target] { Self.remove(index, from: &state) }
      while state.bytes + bytes > limitBytes, state.oldest >= 0 {
        Self.remove(state.oldest, from: &state)
      }
      let slot = Slot(
        entry: entry, key: target, version: version, currentAt: now, older: -1, newer: -1)
      let index: Int
      if let free = state.free.popLast() {
        index = free
        state.slots[index] = slot
      } else {
        index = state.slots.count
        state.slots.append(slot)
      }
      state.indexes[target] = index
      state.bytes += bytes
      Self.link(index, in: &state)
    }
  }

  /// The number and the total size of the entries, for tests.
  var contents: (count: Int, bytes: Int) {
    state.withLock { ($0.indexes.count, $0.bytes) }
  }

  private static func bytes(_ entry: Entry, _ target: String) -> Int {
    entry.content.storedBytes + 2 * target.utf8.count + overheadBytes
  }

  private static func remove(_ index: Int, from state: inout State) {
    unlink(index, in: &state)
    let slot = state.slots[index]
    if let entry = slot.entry { state.bytes -= bytes(entry, slot.key) }
    state.indexes[slot.key] = nil
    state.slots[index].entry = nil
    state.slots[index].key = ""
    state.free.append(index)
  }

  /// Makes an entry the most recently used one.
  private static func use(_ index: Int, in state: inout State) {
    if index == state.newest { return }
    unlink(index, in: &state)
    link(index, in: &state)
  }

  private static func unlink(_ index: Int, in state: inout State) {
    let (older, newer) = (state.slots[index].older, state.slots[index].newer)
    if older >= 0 { state.slots[older].newer = newer } else { state.oldest = newer }
    if newer >= 0 { state.slots[newer].older = older } else { state.newest = older }
  }

  private static func link(_ index: Int, in state: inout State) {
    state.slots[index].older = state.newest
    state.slots[index].newer = -1
    if state.newest >= 0 { state.slots[state.newest].newer = index } else { state.oldest = index }
    state.newest = index
  }
}
