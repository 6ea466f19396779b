import Synchronization

/// Lets tasks go on when it is opened, and counts those that have come.
package final class Door: Sendable {
  private let state = Mutex((isOpen: false, inside: 0, most: 0))

  package init() {}

  package func pass() async {
    state.withLock { state in
      state.inside += 1
      state.most = max(state.most, state.inside)
    }
    while !state.withLock(\.isOpen) { await Task.yield() }
    state.withLock { $0.inside -= 1 }
  }

  package func open() { state.withLock { $0.isOpen = true } }
  /// The number of tasks that wait before the door.
  package var inside: Int { state.withLock(\.inside) }
  package var most: Int { state.withLock(\.most) }

  package static func wait(until isSo: () -> Bool) async {
    while !isSo() { await Task.yield() }
  }
}
