import Foundation
import OffersCore
import OffersTestSupport
import Testing

@Suite("Offers that a feed has under other ids")
struct RenamingRules {
  private static func offer(_ id: String, _ name: String, _ url: String?) -> FeedOffer {
    FeedOffer(id, name: name, more: url.map { [.url: $0] } ?? [:])
  }

  private static func linked(_ id: String, _ name: String, _ url: String) -> RenameCandidate {
    RenameCandidate(id: id, url: url.utf8, name: name.utf8)
  }

  @Test(
    "an offer gets the id under which the document has it, with its star, history and times",
    arguments: StoreKind.allCases)
  func renames(kind: StoreKind) async throws {
    let store = try await kind.open().store
    try await store.sync(
      [Self.offer("http://s/1", "Tea", "https://s/tea"), Self.offer("2", "Jam", "https://s/jam")])
    _ = try await store.setFavorites(named: ["http://s/1"], to: true)
    // A star that was set under the new id is the same one.
    _ = try await store.setFavorites(named: ["2"], to: true)
    let keys = try await store.fetchKnownOffers(of: "ibotta").vanishedKeys()
    let count = try await store.renameOffers(
      of: "ibotta", as: [Self.linked("https://s/1", "Tea", "https://s/tea")], missingKeys: keys)
    #expect(count == 1)
    let tea = try await store.fetchOffer(named: "https://s/1")
    #expect(tea.isFavorite && tea.firstSeenAt == .at(1000) && tea.goneAt == nil)
    #expect(try await store.findOffer(OfferRef(feed: "ibotta", offerID: "http://s/1")) == nil)
    #expect(try await store.fetchOffer(named: "2").isFavorite)
    let favorites = try await store.fetchOffers(OfferQuery(favoritesOnly: true))
    #expect(Set(favorites.map(\.ref.offerID)) == ["https://s/1", "2"])
    // The next sync knows it.
    let run = try await store.sync(
      [
        Self.offer("https://s/1", "Tea", "https://s/tea"), Self.offer("2", "Jam", "https://s/jam"),
      ], at: 2000)
    #expect(run.counts.new == 0 && run.counts.gone == 0)
    #expect(run.counts.unchanged + run.counts.changed == 2)
  }

  @Test(
    "nothing is guessed among several offers, or for an offer that the document still has",
    arguments: StoreKind.allCases)
  func guessesNothing(kind: StoreKind) async throws {
    let store = try await kind.open().store
    try await store.sync([
      Self.offer("1", "Tea", "https://s/a"), Self.offer("2", "Tea", "https://s/a"),
      Self.offer("3", "Jam", "https://s/b"), Self.offer("4", "Rye", "https://s/c"),
      Self.offer("5", "Oat", nil), Self.offer("6", "Bun", "https://s/d"),
    ])
    let known = try await store.fetchKnownOffers(of: "ibotta")
    let keys = known.vanishedKeys().filter { $0 != known.vanishedKeys().last }
    let new = [
      Self.linked("11", "Tea", "https://s/a"), Self.linked("13", "Jam", "https://s/b"),
      Self.linked("23", "Jam", "https://s/b"), Self.linked("14", "Rye bread", "https://s/c"),
      Self.linked("16", "Bun", "https://s/d"),
    ]
    #expect(
      try await store.renameOffers(of: "ibotta", as: new, missingKeys: keys) == 0)
    #expect(try await store.renameOffers(of: "none", as: new, missingKeys: keys) == 0)
    let ids = try await store.fetchOffers(OfferQuery()).map(\.ref.offerID)
    #expect(ids.sorted() == ["1", "2", "3", "4", "5", "6"])
  }
}
