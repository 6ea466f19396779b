import Foundation
import OffersCore
import OffersTestSupport
import Testing

@testable import OffersSQLite

@Suite("Page-wise reading")
struct OfferPageTests {
  @Test("page-wise reading returns each offer once, whatever their sizes")
  func pieces() async throws {
    let store = try await Store()
    let text = String(repeating: "x", count: 1 << 20)
    try await store.sync((1...20).map { FeedOffer("\($0)", name: "Tea \($0)", description: text) })
    var pages = store.database.pages(of: OfferQuery())
    var ids: [String] = []
    while true {
      let piece = try await pages.next()
      if piece.isEmpty { break }
      #expect(piece.count <= 8)
      ids += piece.map(\.ref.offerID)
    }
    #expect(ids == (1...20).map { "\($0)" })
  }
}
