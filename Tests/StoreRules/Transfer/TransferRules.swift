import Foundation
import OffersCore
import OffersTestSupport
import Testing

@Suite("Exports and imports")
struct TransferRules {
  /// A store in which tea was new, changed, gone and back, and milk gone; both and a third offer
  /// are favorites.
  private static func lived(_ kind: StoreKind) async throws -> DatabaseHome {
    let home = try await DatabaseHome(kind)
    try await home.sync([FeedOffer("tea", reward: .dollars(1)), FeedOffer("milk")], at: 1000)
    try await home.sync([FeedOffer("tea", reward: .dollars(2)), FeedOffer("milk")], at: 2000)
    try await home.sync([FeedOffer("jam"), FeedOffer("pie")], at: 3000)
    try await home.sync([FeedOffer("tea", reward: .dollars(2)), FeedOffer("jam")], at: 4000)
    try await home.sync([FeedOffer("tea", name: "Album")], feed: "albums", at: 4500)
    try await home.star([("ibotta:tea", 1500), ("ibotta:milk", 1600), ("later:7", 1700)])
    return home
  }

  @Test(
    "an import into a new database recreates the exported one",
    arguments: StoreKind.allCases, [false, true])
  func comesBack(kind: StoreKind, favoritesOnly: Bool) async throws {
    let home = try await Self.lived(kind)
    let kept = try await home.store.exported(favoritesOnly: favoritesOnly)
    let other = try await DatabaseHome(kind)
    let counts = try await other.store.take(kept)
    #expect(counts.newFavorites == 3)
    #expect(counts.newOffers == (favoritesOnly ? 2 : 5))
    #expect(try await other.store.exported(favoritesOnly: favoritesOnly).text() == kept.text())
    #expect(try await other.miscounts() == [])
    for id in ["ibotta:tea", "milk"] {
      #expect(try await other.history(id) == home.history(id))
    }
    let again = try await other.store.take(kept)
    #expect(again.leftFeeds == (favoritesOnly ? ["ibotta"] : ["albums", "ibotta"]))
    #expect(again.leftOffers == counts.newOffers && again.leftRuns == counts.newRuns)
    #expect(again.leftChanges == counts.newChanges)
    #expect(again.newChanges + again.newRuns + again.newFavorites + again.newOffers == 0)
    #expect(try await other.store.exported(favoritesOnly: favoritesOnly).text() == kept.text())
  }

  @Test(
    "the number of all records is counted before; that of favorites' records is not known",
    arguments: StoreKind.allCases)
  func counts(kind: StoreKind) async throws {
    let home = try await Self.lived(kind)
    let all = try await home.store.export(favoritesOnly: false) { try $0.countRecords() }
    #expect(try await all == home.store.exported().records.count)
    let some: Int? = try await home.store.export(favoritesOnly: true) { try $0.countRecords() }
    #expect(some == nil)
  }

  @Test(
    "an export of favorites has their feeds, history and each feed's last sync",
    arguments: StoreKind.allCases)
  func favoritesAlone(kind: StoreKind) async throws {
    let home = try await Self.lived(kind)
    _ = try await home.store.setFavorites(named: ["ibotta:tea"], to: false)
    let kept = try await home.store.exported(favoritesOnly: true)
    #expect(kept.offers.map(\.ref.offerID) == ["milk"])
    #expect(kept.runs.map(\.startedAt) == [1000, 3000, 4000])
    #expect(kept.favorites.map(\.ref.description) == ["ibotta:milk", "later:7"])
  }

  @Test("the next sync after an import finds no change", arguments: StoreKind.allCases)
  func syncsOn(kind: StoreKind) async throws {
    let home = try await Self.lived(kind)
    let other = try await DatabaseHome(kind)
    try await other.store.take(try home.store.exported())
    let run = try await other.sync(
      [FeedOffer("tea", reward: .dollars(2)), FeedOffer("jam")], at: 5000)
    #expect(run.counts.new == 0 && run.counts.changed == 0)
    #expect(run.counts.unchanged == 2)
    // A favorite without an offer gets its offer.
    try await other.sync([FeedOffer("7")], feed: "later", at: 5000)
    #expect(try await other.store.fetchOffer(named: "later:7").isFavorite)
    #expect(try await other.miscounts() == [])
  }

  @Test("the imported offers are searched, listed and sorted", arguments: StoreKind.allCases)
  func isSearched(kind: StoreKind) async throws {
    let home = try await DatabaseHome(kind)
    try await home.sync([
      FeedOffer("1", name: "Crème brûlée 10"), FeedOffer("2", name: "Crème brûlée 9"),
      FeedOffer(
        "3", name: "Oats",
        more: [
          .retailer: "Žižka", .categories: "[\"Food\",\"Žito\"]", .latitude: "1.5",
          .longitude: "-2.25", .attributes: "[[\"Artist\",\"Björk\"]]", .startsAt: "5",
          .expiresAt: "99999999999",
        ]),
    ])
    let other = try await DatabaseHome(kind)
    try await other.store.take(home.store.exported())
    #expect(try await other.store.search(SearchQuery("creme")).hits.count == 2)
    #expect(try await other.store.search(SearchQuery("bjork")).hits.count == 1)
    #expect(try await other.store.search(SearchQuery("cremme")).correctedWords == "creme")
    #expect(try await other.store.ids(OfferQuery(sort: .name)) == ["2", "1", "3"])
    #expect(try await other.store.ids(OfferQuery(retailer: "zizka")) == ["3"])
    #expect(
      try await other.store.fetchOffers(OfferQuery()) == home.store.fetchOffers(OfferQuery()))
  }

  @Test(
    "a favorite on both sides keeps the earlier time, and none is removed",
    arguments: StoreKind.allCases)
  func stars(kind: StoreKind) async throws {
    let home = try await Self.lived(kind)
    let other = try await DatabaseHome(kind)
    try await other.star([("ibotta:tea", 900), ("ibotta:milk", 9999), ("a:b", 1)])
    try await other.store.take(try home.store.exported())
    #expect(
      try await other.store.exported().favorites.map { "\($0.ref) \($0.starredAt)" }
        == ["a:b 1", "ibotta:milk 1600", "ibotta:tea 900", "later:7 1700"])
  }

  @Test(
    "a feed that the database has read stays as it is, a missing one is taken, and favorites are added",
    arguments: StoreKind.allCases)
  func leavesReadFeeds(kind: StoreKind) async throws {
    let old = try await Self.lived(kind)
    let new = try await DatabaseHome(kind)
    try await new.sync([FeedOffer("tea", reward: .dollars(3)), FeedOffer("rice")], at: 8000)
    let (_, half) = try await new.store.fetchChanges(ChangeQuery(now: .at(8500)))
    try await new.sync([FeedOffer("tea", reward: .dollars(4)), FeedOffer("rice")], at: 9000)
    let (_, all) = try await new.store.fetchChanges(ChangeQuery(now: .at(9500)))
    for (reader, read) in [("half", half), ("all", all)] {
      try await new.store.setMark(ReaderMark(changeID: read, readAt: .at(9500)), of: reader)
    }
    let before = try await new.store.exported()
    let kept = try await old.store.exported()
    let counts = try await new.store.take(kept)
    #expect(counts.leftFeeds == ["ibotta"])
    // Milk, a favorite that the database lacks, comes with its offer.
    #expect(counts.leftOffers == 3 && counts.leftRuns == 4 && counts.leftChanges == 9)
    #expect(counts.newFeeds == 1 && counts.newOffers == 2 && counts.newRuns == 1)
    #expect(counts.newFavorites == 3)
    let after = try await new.store.exported()
    let milk = try #require(kept.offers(of: "ibotta").first { $0.ref.offerID == "milk" })
    #expect(after.offers(of: "ibotta") == before.offers(of: "ibotta") + [milk])
    #expect(after.offers(of: "albums") == kept.offers(of: "albums"))
    for (feed, expected) in [("ibotta", before), ("albums", kept)] {
      #expect(after.runs.filter { $0.feed == feed } == expected.runs.filter { $0.feed == feed })
      #expect(after.changes(of: feed) == expected.changes(of: feed))
    }
    #expect(
      after.favorites.map(\.ref.description) == ["ibotta:milk", "ibotta:tea", "later:7"])
    #expect(try await new.history("ibotta:tea") == ["8000 new $3", "9000 up $4"])
    #expect(try await new.miscounts() == [])
    // Who has read everything has read the imported history, too.
    for (reader, unread) in [("half", ["first", "up"]), ("all", [])] {
      var query = ChangeQuery(now: .at(9500))
      query.afterID = try await new.store.findMark(of: reader)?.changeID
      let kinds = try await new.store.fetchChanges(query).changes.map(\.kind.rawValue)
      #expect(kinds == unread, "\(reader)")
    }
    try await new.store.take(kept)
    #expect(try await new.store.exported().text() == after.text())
  }

  @Test(
    "a feed that was never read gets the document's offers, and forgets its validators",
    arguments: StoreKind.allCases)
  func forgetsDocument(kind: StoreKind) async throws {
    let kept = try await Self.lived(kind).store.exported()
    let store = try await DatabaseHome(kind).store
    var fetch = FetchState()
    (fetch.etag, fetch.validatedMark, fetch.validatedRules) = ("x", "y", 1)
    fetch.waitUntil = .at(99)
    let run = SyncRun(
      feed: "ibotta", source: "/other.json", outcome: .failed, bytes: 0, startedAt: .at(500),
      durationSeconds: 0, error: OffersError(.sourceFailed, "No."))
    try await store.record(run, remember: nil, fetch: fetch)
    #expect(try await store.take(kept).leftFeeds == [])
    let state = try #require(try await store.findSyncState(of: "ibotta"))
    #expect(state.fetch.etag == nil && state.fetch.waitUntil == .at(99))
    #expect(try await store.exported().offers(of: "ibotta") == kept.offers(of: "ibotta"))
  }

  @Test(
    "an offer that is not of its feed's first sync, though of its time, is not told as one",
    arguments: StoreKind.allCases)
  func firstSync(kind: StoreKind) async throws {
    let home = try await DatabaseHome(kind)
    try await home.sync([FeedOffer("tea"), FeedOffer("milk"), FeedOffer("jam")])
    var kept = try await home.store.exported()
    kept.records.removeAll {
      if case .change(let change) = $0 { change.ref.offerID == "milk" } else { false }
    }
    let other = try await DatabaseHome(kind)
    try await other.store.take(kept)
    #expect(try await other.store.exported().text() == kept.text())
    let changes = try await other.store.fetchChanges(ChangeQuery(now: .at(2000))).changes
    #expect(changes.map(\.kind) == [.first] && changes.first?.offerCount == 3)
  }

  @Test("a document with an offer twice is refused", arguments: StoreKind.allCases, [1, 1000])
  func refusesRepeated(kind: StoreKind, distance: Int) async throws {
    let home = try await DatabaseHome(kind)
    try await home.sync((1...1001).map { FeedOffer("\($0)") })
    var kept = try await home.store.exported()
    let place = try #require(kept.records.firstIndex { $0.section == .offers })
    kept.records.insert(kept.records[place], at: place + distance)
    let (repeated, other) = (kept, try await DatabaseHome(kind))
    let error = await refusal { try await other.store.take(repeated) }
    #expect(error?.message == "The document has the offer ibotta:1 twice.")
    #expect(try await other.store.exported().feeds == [])
  }

  @Test(
    "the database's own named source stays, otherwise the imported one is added and reviewed",
    arguments: StoreKind.allCases)
  func sources(kind: StoreKind) async throws {
    func add(_ feed: String, _ source: String?, to home: DatabaseHome) async throws {
      try await home.store.record(
        SyncRun(
          feed: feed, source: "/feed.json", outcome: .unchanged, bytes: 1, startedAt: .at(5),
          durationSeconds: 0),
        remember: source.map { ChosenSource($0, origin: .machine) }, fetch: nil)
    }
    let old = try await DatabaseHome(kind)
    for feed in ["a", "b", "c", "d"] { try await add(feed, "/old.json", to: old) }
    #expect(try await old.store.unsubscribe(from: "c"))
    let new = try await DatabaseHome(kind)
    try await add("a", nil, to: new)
    try await add("b", "/mine.json", to: new)
    let kept = try await old.store.exported()
    let summary = try await new.store.importRecords(
      from: kept, feeds: kept.feeds
    ) { sources in
      sources.map {
        ImportedFeedSource(feed: $0.feed, text: $0.text, origin: $0.feed == "d" ? nil : .imported)
      }
    }
    #expect(
      summary.sources
        == ["a", "c", "d"].map {
          ImportedFeedSource(feed: $0, text: "/old.json", origin: $0 == "d" ? nil : .imported)
        })
    let imported = ChosenSource("/old.json", origin: .imported)
    let expected: [(feed: String, source: ChosenSource?)] = [
      ("a", imported), ("b", ChosenSource("/mine.json", origin: .machine)), ("c", imported),
      ("d", nil),
    ]
    for (feed, source) in expected {
      #expect(try await new.store.findSyncState(of: feed)?.source == source)
    }
    func unsubscribed(_ kept: MemoryExport) -> [Int64?] {
      kept.records.compactMap { record -> Int64?? in
        if case .feed(let feed) = record { .some(feed.unsubscribedAt) } else { .none }
      }
    }
    #expect(try await unsubscribed(new.store.exported()) == unsubscribed(kept))
    #expect(try await new.store.fetchSubscribedFeeds() == ["a", "b", "d"])
    // A source that the store already has keeps its origin.
    try await add("a", "/old.json", to: new)
    #expect(try await new.store.take(new.store.exported()).sources.isEmpty)
    #expect(try await new.store.findSyncState(of: "a")?.source?.origin == .machine)
    for feed in ["c", "unknown"] {
      _ = try await new.store.removeDefinition(
        of: feed, forgettingSource: true, keepingSettings: false)
    }
    #expect(try await new.store.findSyncState(of: "c")?.source == nil)
    // A refused source refuses the import, which leaves nothing behind.
    let empty = try await DatabaseHome(kind)
    let error = await refusal {
      _ = try await empty.store.importRecords(from: kept, feeds: kept.feeds) { _ in
        throw OffersError(.invalidRequest, "No.")
      }
    }
    #expect(error?.message == "No.")
    #expect(try await empty.store.exported().feeds == [])
  }

  @Test(
    "a change of an unknown offer is refused, and nothing is changed",
    arguments: StoreKind.allCases)
  func refusesStray(kind: StoreKind) async throws {
    let old = try await Self.lived(kind)
    let new = try await DatabaseHome(kind)
    var kept = try await old.store.exported()
    kept.records.removeAll {
      if case .offer(let offer) = $0 { offer.ref.offerID == "pie" } else { false }
    }
    let before = try await new.store.exported().text()
    let stray = kept
    let error = await refusal { try await new.store.take(stray) }
    #expect(error?.code == .malformedFeed)
    #expect(error?.message.contains("ibotta:pie, which is not among its offers") == true)
    #expect(try await new.store.exported().text() == before)
  }

  /// Takes the five seconds for which an import waits.
  @Test(
    "it waits for a sync of its feeds, and fails with a message after a while",
    arguments: StoreKind.allCases)
  func waitsForSync(kind: StoreKind) async throws {
    let kept = try await Self.lived(kind).store.exported()
    let home = try await DatabaseHome(kind)
    let other = try await home.opened.openAgain()
    let error = try await home.store.withSyncLock(on: "albums", waitSeconds: 1) {
      await refusal { try await other.take(kept) }
    }
    #expect(error?.code == .locked)
    #expect(try await home.store.exported().offers.isEmpty)
  }

  @Test("many records are exported and imported in batches", arguments: StoreKind.allCases)
  func many(kind: StoreKind) async throws {
    let home = try await DatabaseHome(kind)
    try await home.sync((1...4500).map { FeedOffer("\($0)", name: "Tea \($0)") })
    try await home.sync((1...4500).map { FeedOffer("\($0)", name: "Jam \($0)") }, at: 2000)
    let kept = try await home.store.exported()
    // A feed, two runs, the offers, two changes of each, and a user.
    #expect(kept.records.count == 13_504)
    let other = try await DatabaseHome(kind)
    try await other.star((1...2100).map { ("ibotta:\($0)", 7) })
    let summary = try await other.store.take(kept)
    #expect(summary.newOffers == 4500 && summary.newChanges == 9000)
    #expect(try await other.store.exported().favorites.count == 2100)
    #expect(try await other.miscounts() == [])
    let changes = try await other.store.fetchChanges(ChangeQuery(now: .at(3000))).changes
    #expect(changes.count == 4501)
    #expect(changes.first?.kind == .first)
    #expect(changes.first?.offerCount == 4500)
  }

  @Test(
    "both databases export the same history as the same bytes, and move it between them")
  func agrees() async throws {
    var texts: Set<String> = []
    for kind in StoreKind.allCases {
      let home = try await Self.lived(kind)
      let kept = try await home.store.exported()
      texts.insert(try await home.plainText())
      for other in StoreKind.allCases {
        let copy = try await DatabaseHome(other)
        try await copy.store.take(kept)
        #expect(try await copy.store.exported().text() == kept.text())
      }
    }
    #expect(texts.count == 1)
  }
}
