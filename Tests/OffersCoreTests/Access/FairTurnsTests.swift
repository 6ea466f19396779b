import OffersCore
import OffersTestSupport
import Synchronization
import Testing

@Suite("Turns of several keys")
struct FairTurnsTests {
  /// The names of calls in the order in which they ran.
  private final class Order: Sendable {
    private let names = Mutex<[String]>([])

    func add(_ name: String) { names.withLock { $0.append(name) } }
    var all: [String] { names.withLock(\.self) }
  }

  /// Begins calls one after another, each of which waits.
  private static func enter(
    _ names: [String], _ turns: FairTurns<String>, _ order: Order
  ) async -> [Task<Void, any Error>] {
    var tasks: [Task<Void, any Error>] = []
    for name in names {
      let count = turns.waitingCount
      tasks.append(
        Task { try await turns.run(for: String(name.prefix(1))) { order.add(name) } })
      await Door.wait { turns.waitingCount == count + 1 }
    }
    return tasks
  }

  @Test("go round the keys, whatever the number of calls of one")
  func rounds() async throws {
    let (turns, door, order) = (FairTurns<String>(limit: 1, keyLimit: 1), Door(), Order())
    async let first: Void = turns.run(for: "x") { await door.pass() }
    await Door.wait { door.inside == 1 }
    let tasks = await Self.enter(["a1", "a2", "a3", "b1", "b2", "c1"], turns, order)
    door.open()
    try await first
    for task in tasks { try await task.value }
    #expect(order.all == ["a1", "b1", "c1", "a2", "b2", "a3"])
  }

  @Test("a key at its limit lets others pass")
  func keyLimit() async throws {
    let (turns, door) = (FairTurns<String>(limit: 2, keyLimit: 1), Door())
    let held = (0..<3).map { _ in Task { try await turns.run(for: "a") { await door.pass() } } }
    await Door.wait { door.inside == 1 && turns.waitingCount == 2 }
    #expect(try await turns.run(for: "b") { 1 } == 1)
    #expect(door.inside == 1)
    door.open()
    for task in held { try await task.value }
    #expect(door.most == 1)
  }

  @Test("where too many wait, the last call of the key with the most gives way to another key")
  func displaces() async throws {
    let turns = FairTurns<String>(limit: 1, keyLimit: 1, waitingLimit: 4, keyWaitingLimit: 3)
    let (door, order) = (Door(), Order())
    async let first: Void = turns.run(for: "x") { await door.pass() }
    await Door.wait { door.inside == 1 }
    let tasks = await Self.enter(["a1", "a2", "a3", "b1"], turns, order)
    // One more of the key than may wait.
    let error = await #expect(throws: OffersError.self) { try await turns.run(for: "a") {} }
    #expect(error == .tooManyAtOnce)
    let third = Task { try await turns.run(for: "c") { order.add("c1") } }
    let displaced = await #expect(throws: OffersError.self) { try await tasks[2].value }
    #expect(displaced == .tooManyAtOnce)
    door.open()
    try await first
    for task in [tasks[0], tasks[1], tasks[3], third] { try await task.value }
    #expect(order.all == ["a1", "b1", "c1", "a2"])
    #expect(turns.waitingCount == 0)
  }

  @Test("a call that is cancelled waits no longer, and takes no turn from others")
  func cancels() async throws {
    let (turns, door) = (FairTurns<String>(limit: 1, keyLimit: 1), Door())
    async let first: Void = turns.run(for: "a") { await door.pass() }
    await Door.wait { door.inside == 1 }
    let waiting = Task { try await turns.run(for: "b") {} }
    await Door.wait { turns.waitingCount == 1 }
    waiting.cancel()
    await #expect(throws: CancellationError.self) { try await waiting.value }
    door.open()
    try await first
    #expect(try await turns.run(for: "a") { 2 } == 2)
  }
}
