import Foundation
import OffersCore
import Testing

@Suite("Identities of values in lists")
struct ListIdentityTests {
  private static let now = Date(timeIntervalSince1970: 1000)

  private static func offer(_ id: String) -> UserOffer {
    UserOffer(
      Offer(ref: OfferRef(feed: "f", offerID: id), name: "Tea", firstSeenAt: now, changedAt: now))
  }

  @Test("changes of one offer have identities of their own, and so have offers that expire")
  func changes() {
    func change(_ number: Int64?, _ id: String) -> OfferChange {
      OfferChange(
        changeID: number, kind: number == nil ? .expiring : .changed, at: Self.now,
        offer: Self.offer(id), reward: nil)
    }
    let changes = [change(1, "a"), change(2, "a"), change(nil, "a"), change(nil, "b")]
    #expect(Set(changes.map(\.id)).count == 4)
    #expect(changes[0].id == change(1, "b").id)
  }

  @Test("feeds are identified by their names, searches by their words and feed")
  func others() {
    let feed = Feed(
      name: "tea", source: "sample", currentCount: 0, goneCount: 0, favoriteCount: 0, lastRun: nil,
      lastSuccessAt: nil)
    #expect(feed.id == "tea")
    #expect(FormerFeed(name: "tea", title: nil, source: nil).id == "tea")
    #expect(KnownFeed(name: "tea", source: nil, everySeconds: 60, isSearchable: false).id == "tea")
    let searches = [(nil, "tea"), ("f", "tea"), ("f", "milk")].map { feed, words in
      RecentSearch(words: words, feed: feed, searchedAt: Self.now)
    }
    #expect(Set(searches.map(\.id)).count == 3)
    #expect(
      searches[0].id == RecentSearch(words: "tea", searchedAt: Date(timeIntervalSince1970: 2)).id)
  }

  @Test("a query is made in one expression")
  func queries() {
    var query = OfferQuery()
    #expect(query == OfferQuery(sort: .feed, isReversed: false, offset: 0))
    query.sort = .reward
    query.isReversed = true
    query.favoritesOnly = true
    query.offset = 20
    query.limit = 10
    #expect(
      query
        == OfferQuery(favoritesOnly: true, sort: .reward, isReversed: true, limit: 10, offset: 20))
    var changes = ChangeQuery(now: Self.now)
    changes.favoritesOnly = true
    changes.kinds = [.gone]
    changes.limit = 5
    #expect(
      changes == ChangeQuery(favoritesOnly: true, kinds: [.gone], limit: 5, now: Self.now))
  }
}
