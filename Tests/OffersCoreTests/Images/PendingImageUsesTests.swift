import OffersCore
import Synchronization
import Testing

@Suite("Image uses that are not written yet")
struct PendingImageUsesTests {
  /// A manual clock.
  private final class Clock: Sendable {
    private let instant = Mutex(ContinuousClock.now)
    var now: ContinuousClock.Instant { instant.withLock { $0 } }
    func wait(_ duration: Duration) { instant.withLock { $0 += duration } }
  }

  @Test("a batch is due after a number of uses, even if the order was taken meanwhile")
  func countsUses() {
    let uses = PendingImageUses()
    for use in 1..<ImageCacheLimits.gatheredUses {
      #expect(!uses.note("\(use % 7)", isAsked: true))
      if use % 1000 == 0 { _ = uses.takeOrder() }
    }
    #expect(uses.note(nil, isAsked: true))
    let batch = uses.take()
    #expect((batch.hits, batch.misses) == (ImageCacheLimits.gatheredUses - 1, 1))
    #expect(uses.gathered.isEmpty)
    #expect(!uses.note("a", isAsked: true))
  }

  @Test("a small batch is due at the next use ten minutes after its first one")
  func looksAtTheClock() {
    let clock = Clock()
    let uses = PendingImageUses { clock.now }
    clock.wait(.seconds(5000))
    #expect(!uses.note("a", isAsked: true))
    clock.wait(.seconds(ImageCacheLimits.gatheredSeconds - 1))
    #expect(!uses.note("b", isAsked: true))
    clock.wait(.seconds(1))
    #expect(uses.note("a", isAsked: true))
    #expect(uses.take().urls == ["b", "a"])
    #expect(!uses.note("a", isAsked: true))
  }

  @Test("the number of remembered images is bounded")
  func boundsMemory() {
    let uses = PendingImageUses()
    var number = 0
    while !uses.note("\(number)", isAsked: false) { number += 1 }
    #expect(number == ImageCacheLimits.gatheredImages)
    #expect(uses.take().hits == 0)
  }

  @Test("images are ordered by last use, and taking the order keeps the counts")
  func ordersUses() {
    let uses = PendingImageUses()
    for url in ["a", "b", "c", "a", nil] { _ = uses.note(url, isAsked: url != "c") }
    uses.noteEvictions(1)
    #expect(uses.gathered.urls == ["b", "c", "a"])
    #expect(uses.takeOrder() == ["b", "c", "a"])
    #expect(uses.takeOrder().isEmpty)
    let batch = uses.take()
    #expect(batch.urls.isEmpty)
    #expect((batch.hits, batch.misses, batch.evictions) == (3, 1, 1))
  }
}
