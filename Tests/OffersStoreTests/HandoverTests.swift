import Dispatch
import Testing

@testable import OffersStore

@Suite("What one thread hands to another")
struct HandoverTests {
  private struct Refusal: Error {}

  @Test("everything arrives, in its order", .timeLimit(.minutes(1)))
  func keepsOrder() async throws {
    let handover = Handover<Int>()
    let taken = await withCheckedContinuation { continuation in
      DispatchQueue.global().async {
        continuation.resume(returning: (0..<2000).map { _ in handover.take() })
      }
      DispatchQueue.global().async {
        do {
          for number in 0..<2000 { try handover.give(number) }
        } catch { Issue.record(error) }
      }
    }
    #expect(taken == Array(0..<2000))
  }

  @Test("whoever gives is told why nobody takes any more, as often as they try")
  func tellsOfFailures() throws {
    let handover = Handover<Int>()
    #expect(handover.fail(Refusal()) == nil)
    for number in 0..<3 { #expect(throws: Refusal.self) { try handover.give(number) } }
  }

  @Test(
    "what was given and not taken comes back, and whoever waits for room is told",
    .timeLimit(.minutes(1)))
  func givesBack() async throws {
    let handover = Handover<Int>()
    try handover.give(1)
    #expect(handover.take() == 1)
    try handover.give(2)
    let isRefused = await withCheckedContinuation { continuation in
      DispatchQueue.global().async {
        do {
          try handover.give(3)
          continuation.resume(returning: false)
        } catch { continuation.resume(returning: error is Refusal) }
      }
      #expect(handover.fail(Refusal()) == 2)
    }
    #expect(isRefused)
  }
}
