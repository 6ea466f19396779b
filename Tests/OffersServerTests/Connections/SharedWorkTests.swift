import Synchronization
import Testing

@testable import OffersServer

@Suite("Work that several wait for", .timeLimit(.minutes(1)))
struct SharedWorkTests {
  private struct Failure: Error {}

  /// Work that begins when it is asked for, and ends when a test lets it.
  private final class Controlled: Sendable {
    private let beginnings = AsyncStream.makeStream(of: Void.self)
    private let ends = AsyncStream.makeStream(of: Bool.self)
    let count = Mutex(0)

    func run() async throws {
      count.withLock { $0 += 1 }
      beginnings.continuation.yield()
      for await isGood in ends.stream { return isGood ? () : try fail() }
      throw CancellationError()
    }

    private func fail() throws { throw Failure() }

    func waitForBeginning() async { for await _ in beginnings.stream { return } }
    func end(isGood: Bool = true) { ends.continuation.yield(isGood) }
  }

  @Test("goes on when the one who began it leaves, and is done once for all others")
  func leaving() async throws {
    let controlled = Controlled()
    let work = SharedWork { try await controlled.run() }
    let first = Task { try await work.run() }
    await controlled.waitForBeginning()
    first.cancel()
    await #expect(throws: CancellationError.self) { try await first.value }
    async let second: Void = work.run()
    async let third: Void = work.run()
    controlled.end()
    _ = try await (second, third)
    #expect(controlled.count.withLock { $0 } == 1)
  }

  @Test("fails for all who wait, and is tried again by the next")
  func failing() async throws {
    let controlled = Controlled()
    let work = SharedWork { try await controlled.run() }
    let first = Task { try await work.run() }
    await controlled.waitForBeginning()
    controlled.end(isGood: false)
    await #expect(throws: Failure.self) { try await first.value }
    controlled.end()
    try await work.run()
    #expect(controlled.count.withLock { $0 } == 2)
  }

  @Test("is cancelled when it is closed, and does not begin again")
  func closing() async throws {
    let controlled = Controlled()
    let work = SharedWork { try await controlled.run() }
    let waiting = Task { try await work.run() }
    await controlled.waitForBeginning()
    await work.close()
    await #expect(throws: CancellationError.self) { try await waiting.value }
    await #expect(throws: CancellationError.self) { try await work.run() }
    #expect(controlled.count.withLock { $0 } == 1)
  }
}
