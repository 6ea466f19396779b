import OffersCore
import OffersStore
import OffersTestSupport
import Testing

@Suite("The household list")
struct HouseholdRules {
  /// The list as a user sees it: the offers with the names of their sharers.
  private static func list(
    _ database: OffersDatabase, _ query: HouseholdQuery = HouseholdQuery()
  ) async throws -> [String] {
    try await database.fetchHousehold(query, maximumBytes: 1 << 20).offers.map { found in
      ([found.id.offerID] + found.sharers.map(\.name)).joined(separator: " ")
    }
  }

  @Test("is the same for all users, the latest first", arguments: StoreKind.allCases)
  func order(kind: StoreKind) async throws {
    let home = try await Household(kind)
    let ben = try await home.owners.addUser(named: "Ben", role: .viewer)
    let bens = home.owners.bound(to: ben)
    try await home.owners.share(named: ["1"], at: .at(100))
    try await home.anas.share(named: ["2"], at: .at(200))
    // The sharers of an offer are in the order of their sharing, not in that of the users.
    try await bens.share(named: ["1"], at: .at(50))
    // Offers of the same second are in the order of their references.
    try await bens.share(named: ["4", "3"], at: .at(300))
    for database in [home.owners, home.anas, bens] {
      #expect(try await Self.list(database) == ["3 Ben", "4 Ben", "2 Ana", "1 Ben owner"])
      #expect(try await database.countHousehold() == 4)
      #expect(try await database.countHousehold(of: "nobody") == 0)
    }
    try await home.owners.changeUser(home.ana.id, name: "Anna", role: nil)
    #expect(try await Self.list(bens)[2] == "2 Anna")
  }

  @Test(
    "sharing stars an offer for its sharer only, and each user sees their own stars",
    arguments: StoreKind.allCases)
  func stars(kind: StoreKind) async throws {
    let home = try await Household(kind)
    let changes = try await home.anas.share(named: ["2", "ibotta:3"], at: .at(100))
    #expect(changes.map(\.didChange) == [true, true])
    #expect(changes.map(\.offer.offer.isFavorite) == [true, true])
    #expect(changes.map { $0.offer.sharers.map(\.id) } == [[home.ana.id], [home.ana.id]])
    #expect(try await home.anas.stars() == ["ibotta:2", "ibotta:3"])
    #expect(try await home.owners.stars() == [])
    for (database, isStarred) in [(home.owners, false), (home.anas, true)] {
      let page = try await database.fetchHousehold(HouseholdQuery(), maximumBytes: 1 << 20)
      #expect(page.offers.map(\.offer.isFavorite) == [isStarred, isStarred])
      let found = try await database.findHouseholdOffer(OfferRef(feed: "ibotta", offerID: "2"))
      #expect(found?.offer.isFavorite == isStarred)
      #expect(found?.sharers.map(\.name) == ["Ana"])
      #expect(found?.isShared(by: home.ana.id) == true)
      #expect(found?.isShared(by: User.ownerID) == false)
    }
    let other = try await home.owners.findHouseholdOffer(OfferRef(feed: "ibotta", offerID: "1"))
    #expect(other?.isShared == false)
    #expect(
      try await home.owners.findHouseholdOffer(OfferRef(feed: "ibotta", offerID: "no")) == nil)
  }

  @Test("sharing twice keeps the first time", arguments: StoreKind.allCases)
  func idempotent(kind: StoreKind) async throws {
    let home = try await Household(kind)
    try await home.anas.setFavorites(named: ["1"], to: true)
    #expect(try await home.anas.share(named: ["1"], at: .at(100)).map(\.didChange) == [true])
    #expect(try await home.anas.share(named: ["1"], at: .at(200)).map(\.didChange) == [false])
    let found = try await home.owners.findHouseholdOffer(OfferRef(feed: "ibotta", offerID: "1"))
    #expect(found?.sharers.map(\.sharedAt) == [.at(100)])
  }

  @Test(
    "taking an offer off ends its sharing by everyone, and nobody's favorite",
    arguments: StoreKind.allCases)
  func takeOff(kind: StoreKind) async throws {
    let home = try await Household(kind)
    let ben = try await home.owners.addUser(named: "Ben", role: .viewer)
    try await home.owners.share(named: ["1", "2"], at: .at(100))
    try await home.anas.share(named: ["1"], at: .at(200))
    let bens = home.owners.bound(to: ben)
    let changes = try await bens.unshare(named: ["1", "3"])
    #expect(changes.map(\.didChange) == [true, false])
    #expect(changes.map(\.offer.sharers) == [[], []])
    #expect(try await Self.list(home.anas) == ["2 owner"])
    #expect(try await home.owners.stars() == ["ibotta:1", "ibotta:2"])
    #expect(try await home.anas.stars() == ["ibotta:1"])
    #expect(try await bens.stars() == [])
    // A user who took an offer off the list may share it again.
    try await bens.share(named: ["1"], at: .at(300))
    #expect(try await Self.list(home.owners) == ["1 Ben", "2 owner"])
  }

  @Test("taking the star off ends one's own sharing", arguments: StoreKind.allCases)
  func unstar(kind: StoreKind) async throws {
    let home = try await Household(kind)
    try await home.owners.share(named: ["1"], at: .at(100))
    try await home.anas.share(named: ["1", "2"], at: .at(200))
    try await home.anas.setFavorites(named: ["1", "2"], to: false)
    #expect(try await Self.list(home.anas) == ["1 owner"])
    // A new star is not shared.
    try await home.anas.setFavorites(named: ["2"], to: true)
    #expect(try await Self.list(home.owners) == ["1 owner"])
  }

  @Test("a removed user's sharing goes with their favorites", arguments: StoreKind.allCases)
  func removedUser(kind: StoreKind) async throws {
    let home = try await Household(kind)
    try await home.owners.share(named: ["1"], at: .at(200))
    try await home.anas.share(named: ["1", "2"], at: .at(100))
    try await home.owners.removeUser(home.ana.id)
    #expect(try await Self.list(home.owners) == ["1 owner"])
    let ref = OfferRef(feed: "ibotta", offerID: "1")
    let writes: [(OffersDatabase) async throws -> Void] = [
      { try await $0.share(named: ["3"], at: .at(300)) },
      { try await $0.share([ref], at: .at(300)) },
      { try await $0.unshare(named: ["1"]) },
      { try await $0.unshare([ref]) },
    ]
    for (index, write) in writes.enumerated() {
      #expect(await refusal { try await write(home.anas) }?.code == .notFound, "write \(index)")
    }
    #expect(try await Self.list(home.owners) == ["1 owner"])
  }

  @Test("an unknown offer refuses the whole call", arguments: StoreKind.allCases)
  func unknown(kind: StoreKind) async throws {
    let home = try await Household(kind)
    try await home.owners.share(named: ["2"], at: .at(100))
    let calls: [() async throws -> Void] = [
      { try await home.anas.share(named: ["1", "no"], at: .at(200)) },
      { try await home.anas.unshare(named: ["2", "no"]) },
      { try await home.anas.share([OfferRef(feed: "no", offerID: "1")], at: .at(200)) },
      { try await home.anas.unshare([OfferRef(feed: "no", offerID: "1")]) },
    ]
    for (index, call) in calls.enumerated() {
      #expect(await refusal(call)?.code == .notFound, "call \(index)")
    }
    #expect(try await Self.list(home.anas) == ["2 owner"])
    #expect(try await home.anas.stars() == [])
    try await home.owners.sync([FeedOffer("2")], feed: "shop", at: 2000)
    let error = await refusal { try await home.anas.share(named: ["2"], at: .at(200)) }
    #expect(error?.code == .ambiguous)
  }

  @Test(
    "offers that are gone, or whose feed was unsubscribed, stay on the list",
    arguments: StoreKind.allCases)
  func gone(kind: StoreKind) async throws {
    let home = try await Household(kind)
    try await home.anas.share(named: ["1", "2"], at: .at(100))
    try await home.owners.sync([FeedOffer("2", name: "Tea 2")], at: 2000)
    _ = try await home.owners.unsubscribe(from: "ibotta")
    #expect(try await Self.list(home.owners) == ["1 Ana", "2 Ana"])
    let page = try await home.owners.fetchHousehold(HouseholdQuery(), maximumBytes: 1 << 20)
    #expect(page.offers.map(\.offer.isGone) == [true, false])
  }

  @Test(
    "sharing lists an offer that only a search had found, and taking it off keeps it listed",
    arguments: StoreKind.allCases)
  func foundOffer(kind: StoreKind) async throws {
    let home = try await Household(kind)
    _ = try await home.owners.apply(
      home.owners.plan([FeedOffer("8", name: "Tea 8")], at: 2000, isSearch: true))
    try await home.anas.share(named: ["8"], at: .at(100))
    #expect(try await home.owners.ids().contains("8"))
    try await home.owners.unshare(named: ["8"])
    #expect(try await home.owners.ids().contains("8"))
    try await home.anas.setFavorites(named: ["8"], to: false)
    #expect(try await !home.owners.ids().contains("8"))
  }

  @Test("has pages that neither repeat nor omit an offer", arguments: StoreKind.allCases)
  func pages(kind: StoreKind) async throws {
    let home = try await Household(kind, (1...9).map { FeedOffer("\($0)", name: "Tea \($0)") })
    for id in 1...9 {
      try await home.anas.share(named: ["\(id)"], at: .at(100 + id / 3))
    }
    let all = try await home.owners.fetchHousehold(HouseholdQuery(), maximumBytes: 1 << 20)
    #expect(all.next == nil)
    var query = HouseholdQuery(limit: 2)
    var read: [HouseholdOffer] = []
    while true {
      let page = try await home.owners.fetchHousehold(query, maximumBytes: 1 << 20)
      read += page.offers
      guard let next = page.next, read.count < 20 else { break }
      query.after = next
    }
    #expect(read == all.offers)
    // The offer of a position need not be on the list any more.
    query.after = all.offers[3].position
    try await home.owners.unshare(named: [all.offers[3].id.offerID])
    let page = try await home.owners.fetchHousehold(query, maximumBytes: 1 << 20)
    #expect(page.offers == Array(all.offers[4...5]))
    #expect(
      try await Self.list(home.owners, HouseholdQuery(limit: 2, offset: 6)).count == 2)
    // The texts of a page are bounded, and a page has one offer at least.
    for bytes in [0, 30] {
      let page = try await home.owners.fetchHousehold(HouseholdQuery(), maximumBytes: bytes)
      #expect((1...7).contains(page.offers.count) && page.next != nil)
    }
    let short = try await home.owners.fetchHousehold(
      HouseholdQuery(textBytes: 3), maximumBytes: 1 << 20)
    #expect(short.offers.allSatisfy { $0.offer.name.utf8.count <= 3 })
  }

  @Test("is limited to a feed, which must be known", arguments: StoreKind.allCases)
  func ofFeed(kind: StoreKind) async throws {
    let home = try await Household(kind)
    try await home.owners.sync([FeedOffer("1"), FeedOffer("9")], feed: "tea")
    try await home.owners.share(named: ["ibotta:1"], at: .at(100))
    try await home.anas.share(named: ["9", "tea:1", "ibotta:2"], at: .at(200))
    var query = HouseholdQuery(limit: 1, feed: "tea")
    let first = try await home.owners.fetchHousehold(query, maximumBytes: 1 << 20)
    #expect(first.offers.map(\.id.description) == ["tea:1"] && first.next != nil)
    query.after = first.next
    let last = try await home.owners.fetchHousehold(query, maximumBytes: 1 << 20)
    #expect(last.offers.map(\.id.description) == ["tea:9"] && last.next == nil)
    #expect(
      try await Self.list(home.owners, HouseholdQuery(feed: "ibotta")) == ["2 Ana", "1 owner"])
    let error = await refusal {
      _ = try await home.owners.fetchHousehold(HouseholdQuery(feed: "jam"), maximumBytes: 1)
    }
    #expect(error?.code == .notFound)
  }

  @Test("a position in another list is refused", arguments: StoreKind.allCases)
  func foreignPlace(kind: StoreKind) async throws {
    let home = try await Household(kind)
    try await home.anas.share(named: ["1"], at: .at(100))
    let ref = OfferRef(feed: "ibotta", offerID: "1")
    for position in [OfferPosition(ref), OfferPosition(ref, values: [.text("Tea 1")])] {
      let error = await refusal {
        _ = try await home.owners.fetchHousehold(
          HouseholdQuery(after: position), maximumBytes: 1 << 20)
      }
      #expect(error?.code == .invalidRequest)
    }
  }
}
