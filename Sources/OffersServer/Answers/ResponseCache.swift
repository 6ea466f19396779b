import HTTPTypes
import Hummingbird
import Synchronization

/// An LRU cache of responses by target, with a limit of bytes. All entries were made from one
/// version of the database: an entry of another version replaces them all.
final class ResponseCache: Sendable {
  /// A response with its headers.
  struct Entry: Sendable {
    let tag: String
    let headers: HTTPFields
    let notModifiedHeaders: HTTPFields
    let body: ByteBuffer
    /// The time of expiry; nil if only a write invalidates the entry.
    let until: ContinuousClock.Instant?
  }

  /// An element of the array that holds the doubly linked list of entries in the order of use.
  private struct Slot {
    var entry: Entry
    var key: String
    /// The indexes of the neighbors in the list; -1 for none.
    var older: Int
    var newer: Int
  }

  private struct State {
    /// The version of the database that the entries were made from.
    var version: Int64?
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
  /// The estimated size of an entry besides its body and its target, in bytes.
  private static let overheadBytes = 1024

  init(limitBytes: Int = 16 << 20) {
    self.limitBytes = limitBytes
    largestBytes = limitBytes / 4
  }

  /// The response to a target, if it was made from this version of the database and has not expired.
  func find(_ target: String, version: Int64) -> Entry? {
    state.withLock { state in
      guard state.version == version, let index = state.indexes[target] else { return nil }
      let entry = state.slots[index].entry
      if let until = entry.until, until <= .now {
        Self.remove(index, from: &state)
        return nil
      }
      if index != state.newest {
        Self.unlink(index, in: &state)
        Self.link(index, in: &state)
      }
      return entry
    }
  }

  /// Adds a response, unless it is larger than a quarter of the cache. It replaces the response to
  /// the same target.
  ///
  /// - Parameters:
  ///   - entry: the response to add.
  ///   - target: the path and query of the request that it answers.
  ///   - version: the version of the database from before the response was made.
  func put(_ entry: Entry, at target: String, version: Int64) {
    let bytes = Self.bytes(entry, target)
    guard bytes <= largestBytes else { return }
    state.withLock { state in
      if state.version != version {
        state = State()
        state.version = version
      }
      if let index = state.indexes[target] { Self.remove(index, from: &state) }
      while state.bytes + bytes > limitBytes, state.oldest >= 0 {
        Self.remove(state.oldest, from: &state)
      }
      let slot = Slot(entry: entry, key: target, older: -1, newer: -1)
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
    entry.body.readableBytes + 2 * target.utf8.count + overheadBytes
  }

  private static func remove(_ index: Int, from state: inout State) {
    unlink(index, in: &state)
    let slot = state.slots[index]
    state.bytes -= bytes(slot.entry, slot.key)
    state.indexes[slot.key] = nil
    state.slots[index].entry = Entry(
      tag: "", headers: [:], notModifiedHeaders: [:], body: ByteBuffer(), until: nil)
    state.slots[index].key = ""
    state.free.append(index)
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
