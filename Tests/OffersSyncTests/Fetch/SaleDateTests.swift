import Foundation
import OffersCore
import OffersTestSupport
import Testing

@testable import OffersSync

@Suite("Prices of sales over time")
struct SaleDateTests {
  private static let yaml = """
    feeds:
      shop:
        source: https://feed.example/shop.json
        id: id
        zone: UTC
        currency: USD
        fields: {name: id, price: [{from: sale, during: {from: a, until: b}}, price]}
    """

  @Test("a sale begins and ends although the server's document stays the same")
  func followsTheDates() async throws {
    // The clock begins on January 1, 2026.
    let home = try await FetchHome()
    let body =
      #"[{"id":1,"sale":"20","price":"30","a":"2026-01-02","b":"2026-01-03"},{"id":2,"price":"5"}]"#
    home.web.answer { request in
      request.headers.first(name: "if-none-match") == nil
        ? SimulatedAnswer(200, [("ETag", "a")].map { ($0.0, "\"\($0.1)\"") }, body)
        : SimulatedAnswer(304)
    }
    var told: [String] = []
    var conditions: [Bool] = []
    for _ in 1...6 {
      let engine = try home.engine(Self.yaml)
      _ = try await engine.run("shop", options: SyncOptions())
      conditions.append(!home.lastConditions.isEmpty)
      let offer = try await home.database.fetchOffers(OfferQuery()).first { $0.ref.offerID == "1" }
      told.append(offer?.reward?.text ?? "")
      home.wait(days: 1)
    }
    #expect(told == ["30", "20", "20", "30", "30", "30"])
    // Once the sale is over, the document is requested with its validator again.
    #expect(conditions == [false, false, false, false, true, true])
  }
}
