import HTTPTypes
import Hummingbird
import OffersTestSupport
import Testing

@testable import OffersServer

@Suite("Answers that are made at a time")
struct TurnsTests {
  @Test("no more than so many are made at a time, and all are made")
  func bound() async throws {
    let (turns, door) = (Turns(3), Door())
    let count = try await withThrowingTaskGroup(of: Int.self) { group in
      for _ in 0..<20 {
        group.addTask {
          try await turns.take {
            await door.pass()
            return 1
          }
        }
      }
      await Door.wait { turns.waitingCount == 17 }
      #expect(door.inside == 3)
      door.open()
      return try await group.reduce(0, +)
    }
    #expect(count == 20)
    #expect(door.most == 3)
    #expect(turns.waitingCount == 0)
  }

  @Test("where too many wait, another one is refused, to ask again")
  func refusal() async throws {
    let (turns, door) = (Turns(1, waitingLimit: 1), Door())
    async let first: Void = turns.take { await door.pass() }
    await Door.wait { door.inside == 1 }
    async let second: Void = turns.take {}
    await Door.wait { turns.waitingCount == 1 }
    let problem = await #expect(throws: Problem.self) { try await turns.take {} }
    #expect(problem?.status == .serviceUnavailable)
    #expect(problem?.headers[.retryAfter] == "1")
    door.open()
    _ = try await (first, second)
    try await turns.take {}
  }

  @Test("one that waits for the network lets others have its turn")
  func leave() async throws {
    let (turns, door) = (Turns(1), Door())
    async let first: Int = turns.take {
      try await Turns.leave { await door.pass() }
      return 1
    }
    await Door.wait { door.inside == 1 }
    #expect(try await turns.take { 2 } == 2)
    door.open()
    #expect(try await first == 1)
    // Without a turn, it is no more than the body.
    #expect(try await Turns.leave { 3 } == 3)
  }

  @Test("one that is cancelled waits no longer, and takes no turn from others", arguments: [1, 2])
  func cancellation(count: Int) async throws {
    let (turns, door) = (Turns(count), Door())
    let away = Door()
    // Has left its turn when it is cancelled, and waits for another.
    let leaving = Task {
      try await turns.take { try await Turns.leave { await away.pass() } }
    }
    await Door.wait { away.inside == 1 }
    let holding = (0..<count).map { _ in Task { try await turns.take { await door.pass() } } }
    await Door.wait { door.inside == count }
    let waiting = Task { try await turns.take {} }
    await Door.wait { turns.waitingCount == 1 }
    away.open()
    await Door.wait { turns.waitingCount == 2 }
    for task in [leaving, waiting] { task.cancel() }
    await #expect(throws: CancellationError.self) { try await leaving.value }
    await #expect(throws: CancellationError.self) { try await waiting.value }
    door.open()
    for task in holding { try await task.value }
    // As many as before may work.
    let other = Door()
    let last = (0...count).map { _ in Task { try await turns.take { await other.pass() } } }
    await Door.wait { turns.waitingCount == 1 }
    #expect(other.inside == count)
    other.open()
    for task in last { try await task.value }
  }

  @Test("reads wait for each other; images, writes and whether it works do not wait for them")
  func responder() async throws {
    let home = try await ServedHome()
    let (responder, door) = (try home.server().responder(), Door())
    let held = (0..<16).map { _ in Task { try await responder.turns.take { await door.pass() } } }
    await Door.wait { door.inside == 16 }
    let client = TestClient(responder)
    async let page = client.get("offers")
    await Door.wait { responder.turns.waitingCount == 1 }
    #expect(try await client.get("health").status == 200)
    #expect(try await client.get("images/ibotta:none").status == 404)
    let star = try await client.write(
      .put, "/api/v1/offers/ibotta:900117/favorite", headers: [.contentType: "application/json"])
    #expect(star.status == 200)
    #expect(responder.turns.waitingCount == 1)
    door.open()
    #expect(try await page.status == 200)
    for task in held { try await task.value }
  }
}
