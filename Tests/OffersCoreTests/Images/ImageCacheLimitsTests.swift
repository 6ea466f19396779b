import Foundation
import OffersCore
import Testing

@Suite("Fresh images")
struct ImageCacheLimitsTests {
  @Test(
    "an image is fresh only if it was fetched in the past and for 30 days at most",
    arguments: [
      (-10, 10, true), (-10, -1, false), (30, 1000, true), (61, 1000, false),
      (34_646_400, 34_732_800, false), (-86_400, 2_505_600, true), (-86_400, 2_505_601, false),
    ] as [(Double, Double, Bool)])
  func freshness(fetched: Double, until: Double, isFresh: Bool) {
    let now = Date(timeIntervalSince1970: 1_767_225_600)
    #expect(
      ImageCacheLimits.isFresh(fetchedAt: now + fetched, until: now + until, at: now) == isFresh)
  }
}
