import Foundation
import OffersCore
import OffersStore
import OffersTestSupport
import Testing

@Suite("Lists that are read part by part")
struct LongListRules {
  private static func filled(_ kind: StoreKind) async throws -> DatabaseHome {
    let home = try await DatabaseHome(kind)
    try await home.sync((1...1200).map { FeedOffer("\($0)", name: "Tea \($0)") })
    try await home.sync((1...1200).map { FeedOffer("\($0)", name: "Jam \($0)") }, at: 2000)
    return home
  }

  @Test("pages have the offers of a list in its order", arguments: StoreKind.allCases)
  func pages(kind: StoreKind) async throws {
    let home = try await Self.filled(kind)
    for query in [OfferQuery(sort: .name), OfferQuery(limit: 700, offset: 300)] {
      var pages = home.store.pages(of: query)
      var offers: [UserOffer] = []
      while case let page = try await pages.next(), !page.isEmpty {
        #expect(page.count <= OfferPages.size)
        offers += page
      }
      #expect(try await offers == home.store.fetchOffers(query))
    }
    let error = await refusal {
      var pages = home.store.pages(of: OfferQuery(feed: "unknown"))
      _ = try await pages.next()
    }
    #expect(error?.code == .notFound)
  }

  @Test(
    "page by page, filters in every order list the same offers as at once",
    arguments: StoreKind.allCases, OfferQuery.Sort.allCases)
  func filteredPages(kind: StoreKind, sort: OfferQuery.Sort) async throws {
    let store = try await VariedOffers.store(kind)
    var random = SeededGenerator(number: 3)
    for bits in (0..<512).shuffled(using: &random).prefix(TestSize.scaled(512)) {
      var query = OfferQuery(
        feed: bits & 1 > 0 ? "shop" : nil, favoritesOnly: bits & 2 > 0, goneOnly: bits & 4 > 0,
        now: VariedOffers.now, sort: sort, isReversed: bits & 256 > 0)
      if bits & 8 > 0 { query.retailer = "mart" }
      if bits & 16 > 0 { query.category = "food" }
      if bits & 32 > 0 { query.rewardMinimum = .anyAmount(minorUnits: 1, others: ["JPY": 1]) }
      if bits & 64 > 0 { query.expiring = Date.at(1)...Date.at(9000) }
      query.includesExpired = bits & 128 > 0
      let all = try await store.fetchOffers(query).map(\.ref)
      #expect(try await store.countOffers(query) == all.count, "\(query)")
      for (limit, offset) in [(nil, 0), (3, 2)] {
        query.limit = limit
        query.offset = offset
        var read: [OfferRef] = []
        var pages = store.pages(of: query)
        while case let page = try await pages.next(), !page.isEmpty { read += page.map(\.ref) }
        #expect(read == Array(all.dropFirst(offset).prefix(limit ?? .max)), "\(query)")
      }
    }
  }

  @Test("pages have few large offers, and each once", arguments: StoreKind.allCases)
  func largePages(kind: StoreKind) async throws {
    let store = try await kind.open().store
    let text = String(repeating: "x", count: 1 << 20)
    try await store.sync((1...20).map { FeedOffer("\($0)", name: "Tea \($0)", description: text) })
    var pages = store.pages(of: OfferQuery())
    var ids: [String] = []
    while case let page = try await pages.next(), !page.isEmpty {
      #expect(page.count <= 8)
      ids += page.map(\.ref.offerID)
    }
    #expect(ids == (1...20).map { "\($0)" })
  }

  @Test("selected changes are those of a query, read in parts", arguments: StoreKind.allCases)
  func changes(kind: StoreKind) async throws {
    let home = try await Self.filled(kind)
    var query = ChangeQuery(now: .at(3000))
    query.limit = 1000
    let selection = try await home.store.selectChanges(query)
    let (all, lastID) = try await home.store.fetchChanges(query)
    #expect(selection.count == 1000 && selection.lastID == lastID)
    var read: [OfferChange] = []
    for start in stride(from: 0, to: 1200, by: 300) {
      read += try await selection.fetch(start..<start + 300)
    }
    #expect(read == all)
  }

  @Test("the error for a mistyped id suggests the nearest one", arguments: StoreKind.allCases)
  func mistyped(kind: StoreKind) async throws {
    let store = try await kind.open().store
    try await store.sync(["110579", "110580", "9\u{301}a"].map { FeedOffer($0) })
    let cases: [(String, String?)] = [
      ("110597", "110579"), ("ibotta:11057", "ibotta:110579"), ("ibota:110580", "ibotta:110580"),
      ("11", nil), ("110579\0", "110579"), ("zzzzzz", nil),
    ]
    for (typed, meant) in cases {
      let error = await refusal { _ = try await store.fetchOffer(named: typed) }
      #expect(error?.code == .notFound)
      #expect(error?.message == "There is no offer “\(typed)”.")
      let hint = try #require(error?.hint?.text)
      #expect(hint.hasPrefix(meant.map { "Did you mean \($0)? See" } ?? "See"), "\(typed): \(hint)")
    }
  }
}
