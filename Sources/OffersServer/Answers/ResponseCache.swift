import HTTPTypes
import Hummingbird
import Synchronization

/// The answers that were given since the last write, the least recently used of them forgotten
/// first. It holds a bounded number of bytes.
final class ResponseCache: Sendable {
  /// An answer as it is sent.
  struct Entry: Sendable {
    let tag: String
    let headers: HTTPFields
    let notModifiedHeaders: HTTPFields
    let body: ByteBuffer
    /// Until when it holds if nothing is written; nil for as long as that.
    let until: ContinuousClock.Instant?
  }

  private struct Slot {
    var entry: Entry
    var key: String
    /// Slots used before and after this one; -1 for none.
    var older: Int
    var newer: Int
  }

  private struct State {
    /// Of the database, when the entries were made.
    var version: Int64?
    var places: [String: Int] = [:]
    var slots: [Slot] = []
    var free: [Int] = []
    var oldest = -1
    var newest = -1
    var bytes = 0
  }

  private let state = Mutex(State())
  private let limitBytes: Int
  private let largestBytes: Int
  /// What an entry takes beside its body, its target and its headers' texts.
  private static let overheadBytes = 1024

  init(limitBytes: Int = 16 << 20) {
    self.limitBytes = limitBytes
    largestBytes = limitBytes / 4
  }

  /// The answer to a target that was given when the database was as it is now.
  func find(_ target: String, version: Int64) -> Entry? {
    state.withLock { state in
      guard state.version == version, let place = state.places[target] else { return nil }
      let entry = state.slots[place].entry
      if let until = entry.until, until <= .now {
        Self.remove(place, from: &state)
        return nil
      }
      if place != state.newest {
        Self.unlink(place, in: &state)
        Self.link(place, in: &state)
      }
      return entry
    }
  }

  /// Remembers an answer.
  ///
  /// - Parameter version: of the database, asked for before the answer was made.
  func put(_ entry: Entry, at target: String, version: Int64) {
    let bytes = Self.bytes(entry, target)
    guard bytes <= largestBytes else { return }
    state.withLock { state in
      if state.version != version {
        state = State()
        state.version = version
      }
      if let place = state.places[target] { Self.remove(place, from: &state) }
      while state.bytes + bytes > limitBytes, state.oldest >= 0 {
        Self.remove(state.oldest, from: &state)
      }
      let slot = Slot(entry: entry, key: target, older: -1, newer: -1)
      let place: Int
      if let free = state.free.popLast() {
        place = free
        state.slots[place] = slot
      } else {
        place = state.slots.count
        state.slots.append(slot)
      }
      state.places[target] = place
      state.bytes += bytes
      Self.link(place, in: &state)
    }
  }

  /// What is held, for looking at it.
  var contents: (count: Int, bytes: Int) {
    state.withLock { ($0.places.count, $0.bytes) }
  }

  private static func bytes(_ entry: Entry, _ target: String) -> Int {
    entry.body.readableBytes + 2 * target.utf8.count + overheadBytes
  }

  private static func remove(_ place: Int, from state: inout State) {
    unlink(place, in: &state)
    let slot = state.slots[place]
    state.bytes -= bytes(slot.entry, slot.key)
    state.places[slot.key] = nil
    state.slots[place].entry = Entry(
      tag: "", headers: [:], notModifiedHeaders: [:], body: ByteBuffer(), until: nil)
    state.slots[place].key = ""
    state.free.append(place)
  }

  private static func unlink(_ place: Int, in state: inout State) {
    let (older, newer) = (state.slots[place].older, state.slots[place].newer)
    if older >= 0 { state.slots[older].newer = newer } else { state.oldest = newer }
    if newer >= 0 { state.slots[newer].older = older } else { state.newest = older }
  }

  private static func link(_ place: Int, in state: inout State) {
    state.slots[place].older = state.newest
    state.slots[place].newer = -1
    if state.newest >= 0 { state.slots[state.newest].newer = place } else { state.oldest = place }
    state.newest = place
  }
}
