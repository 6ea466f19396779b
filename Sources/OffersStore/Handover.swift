import Dispatch
import Synchronization

/// Hands items from one thread to another, which may be one item behind.
final class Handover<Item: Sendable>: Sendable {
  private struct State {
    /// What was given and not taken yet.
    var item: Item?
    /// Why nobody takes any more.
    var failure: (any Error)?
  }

  private let state = Mutex(State())
  /// Say that there is room, or an item.
  private let room = DispatchSemaphore(value: 0)
  private let items = DispatchSemaphore(value: 0)

  // A semaphore must not end with less than it began with.
  init() { room.signal() }

  /// Gives the next item once the one before it was taken.
  ///
  /// - Throws: why nobody takes any more.
  func give(_ item: Item) throws {
    room.wait()
    let failure = state.withLock { state in
      if state.failure == nil { state.item = item }
      return state.failure
    }
    if let failure {
      room.signal()
      throw failure
    }
    items.signal()
  }

  /// Waits for the next item and takes it.
  func take() -> Item {
    while true {
      items.wait()
      let item = state.withLock { state in
        defer { state.item = nil }
        return state.item
      }
      if let item {
        room.signal()
        return item
      }
    }
  }

  /// Says that nobody takes any more.
  ///
  /// - Returns: what was given and will not be taken.
  func fail(_ error: any Error) -> Item? {
    let item = state.withLock { state in
      state.failure = error
      defer { state.item = nil }
      return state.item
    }
    // Whoever waits for room has waited for long enough. Where an item was, there is none otherwise.
    if item != nil { room.signal() }
    return item
  }
}
