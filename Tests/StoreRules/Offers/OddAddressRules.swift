import Foundation
import OffersCore
import OffersStore
import OffersTestSupport
import Testing

@Suite("Odd addresses")
struct OddAddressRules {
  /// Addresses as feeds print them, most of which no URL represents exactly.
  private static let texts = [
    "https://x.example/a b.png", "https://x.example/Cafe\u{301}.png",
    "https://x.example/Caf\u{E9}.png",
    "https://bücher.example/%zz?[a]#b#c", "HTTP://X.example:80/%7e", "/a.png", "//x.example/a",
    "self", "javascript:alert(1)", "https:\\\\x.example", "https://x.example/\u{202E}gpj",
  ]

  private static func filled(_ kind: StoreKind) async throws -> OffersDatabase {
    let store = try await kind.open().store
    try await store.sync(
      texts.enumerated().map { number, text in
        FeedOffer("\(number)", more: [.imageURL: text, .url: text])
      })
    return store
  }

  @Test("addresses are stored, exported and imported byte for byte", arguments: StoreKind.allCases)
  func keepsTexts(kind: StoreKind) async throws {
    let store = try await Self.filled(kind)
    let offers = try await store.fetchOffers(OfferQuery())
    #expect(offers.map { $0.urlText.map { Array($0.utf8) } } == Self.texts.map { Array($0.utf8) })
    #expect(offers.map(\.imageURLText) == Self.texts)
    let kept = try await store.exported()
    let text = try kept.text()
    #expect(text.contains(#""url":"https://x.example/a b.png""#))
    let other = try await kind.open().store
    try await other.take(kept)
    #expect(try await other.exported().text() == text)
  }

  @Test(
    "an offer's image is found under the exact text of its address", arguments: StoreKind.allCases)
  func findsImages(kind: StoreKind) async throws {
    let store = try await Self.filled(kind)
    let bytes = TinyImage.png()
    let offers = try await store.fetchOffers(OfferQuery())
    for text in [Self.texts[0], Self.texts[1]] {
      try await store.putImage(
        CachedImage(
          url: text, bytes: bytes, header: try ImageHeader(reading: bytes),
          fetchedAt: .at(0), freshUntil: .at(0)))
    }
    var found: [Bool] = []
    for offer in offers { found.append(try await store.findImage(of: offer) != nil) }
    // The third address has the same characters as the second, and other bytes.
    #expect(found == [true, true] + offers.dropFirst(2).map { _ in false })
    #expect(
      offers.map { $0.imageURL != nil } == [
        true, true, true, true, true, false, false, false, false, false, true,
      ])
    let none = Offer(
      ref: OfferRef(feed: "ibotta", offerID: "99"), name: "Tea", firstSeenAt: Date(),
      changedAt: Date())
    #expect(try await store.findImage(of: none) == nil)
  }
}
