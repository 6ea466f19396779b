import Foundation
import OffersCore
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
        #expect(page.count <= OfferPage.size)
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

  @Test("ids are completed, with or without their feed", arguments: StoreKind.allCases)
  func ids(kind: StoreKind) async throws {
    let home = try await Self.filled(kind)
    try await home.sync([FeedOffer("11", name: "Song"), FeedOffer("1_")], feed: "albums")
    for text in ["119", "ibotta:119"] {
      #expect(
        try await home.store.fetchIDs(beginningWith: text, limit: 4).map(\.ref.offerID)
          == ["119", "1190", "1191", "1192"])
    }
    #expect(
      try await home.store.fetchIDs(beginningWith: "11", limit: 1).map(\.ref.description)
        == ["albums:11", "ibotta:11"])
    #expect(try await home.store.fetchIDs(beginningWith: "1_", limit: 9).count == 1)
    #expect(try await home.store.fetchIDs(beginningWith: "\0", limit: 9).isEmpty)
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
      let hint = try #require(error?.hint)
      #expect(hint.hasPrefix(meant.map { "Did you mean \($0)? See" } ?? "See"), "\(typed): \(hint)")
    }
  }
}
