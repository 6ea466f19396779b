import Foundation
import OffersCore
import OffersStore
import OffersTestSupport
import Testing

@Suite("The write of a sync")
struct SyncRules {
  private static func text(_ counts: SyncCounts) -> String {
    [
      counts.new, counts.changed, counts.gone, counts.back, counts.unchanged, counts.skipped,
    ].map(String.init).joined(separator: "|")
  }

  /// All that a sync can change, as it is read.
  private static func contents(_ store: OffersDatabase) async throws -> [AnyHashable] {
    [
      AnyHashable(try await store.fetchOffers(OfferQuery())),
      AnyHashable(try await store.fetchOffers(OfferQuery(goneOnly: true))),
      AnyHashable(try await store.fetchChanges(ChangeQuery(now: .at(1))).changes),
      AnyHashable(try await store.fetchFeeds()),
      AnyHashable(try await store.fetchFormerFeeds()),
      AnyHashable(try await store.findSyncState(of: "ibotta")),
      AnyHashable(try await store.exported().text()),
      AnyHashable(try await store.search(SearchQuery("oats")).hits.map(\.offer.ref)),
    ]
  }

  @Test(
    "new, changed, gone, back and unchanged offers are counted, and have the times of their syncs",
    arguments: StoreKind.allCases)
  func counts(kind: StoreKind) async throws {
    let store = try await kind.open().store
    let ids = ["1", "2", "3", "4"]
    let first = try await store.sync(ids.prefix(3).map { FeedOffer($0) })
    #expect(Self.text(first.counts) == "3|0|0|0|0|0")
    #expect(try await store.findSyncState(of: "ibotta")?.currentCount == 3)
    let second = try await store.sync(
      [FeedOffer("1"), FeedOffer("2", name: "Oat milk"), FeedOffer("4")], at: 2000)
    #expect(Self.text(second.counts) == "1|1|1|0|1|0")
    let gone = try await store.fetchOffer(named: "3")
    #expect(gone.goneAt == .at(2000) && gone.changedAt == .at(1000))
    let third = try await store.sync(ids.map { FeedOffer($0) }, at: 3000)
    #expect(Self.text(third.counts) == "0|1|0|1|2|0")
    let fourth = try await store.sync(ids.map { FeedOffer($0) }, at: 4000)
    #expect(Self.text(fourth.counts) == "0|0|0|0|4|0")
    #expect(try await store.fetchFeeds().first?.lastRun?.counts == fourth.counts)
    #expect(try await store.findSyncState(of: "ibotta")?.currentCount == 4)
    let offers = try await store.fetchOffers(OfferQuery())
    #expect(offers.map(\.ref.offerID) == ids && offers.allSatisfy { $0.goneAt == nil })
    #expect(offers.map(\.firstSeenAt) == [1000, 1000, 1000, 2000].map(Date.at))
    #expect(offers.map(\.changedAt) == [1000, 3000, 1000, 2000].map(Date.at))
  }

  @Test(
    "other signatures and version tokens of addresses are stored without a change, and move the picture",
    arguments: StoreKind.allCases)
  func followsAddresses(kind: StoreKind) async throws {
    let store = try await kind.open().store
    let picture = { (number: Int) in "https://e.com/1.png?t=\(number)" }
    func offers(_ number: Int, link: String = "7") -> [FeedOffer] {
      [
        FeedOffer(
          "1",
          more: [
            .imageURL: picture(number),
            .url: "https://e.com/?id=\(link)&X-Amz-Signature=\(number)a",
          ]), FeedOffer("2"),
      ]
    }
    try await store.sync(offers(1))
    let bytes = TinyImage.png()
    try await store.putImage(
      CachedImage(
        url: picture(1), bytes: bytes, header: try ImageHeader(reading: bytes),
        fetchedAt: .at(1000),
        freshUntil: .at(2000)))
    let run = try await store.sync(offers(2), at: 2000)
    #expect(Self.text(run.counts) == "0|0|0|0|2|0")
    #expect(try await Self.recorded(store) == ["1 new 1", "1 new 2"])
    let offer = try await store.fetchOffer(named: "1")
    #expect(offer.imageURLText == picture(2) && offer.changedAt == .at(1000))
    #expect(offer.offer[.url]?.hasSuffix("=2a") == true)
    #expect(try await store.findImage(picture(2))?.bytes == bytes)
    #expect(try await store.findImage(picture(1)) == nil)
    #expect(try await store.sync(offers(2), at: 3000).counts.unchanged == 2)
    // Another link is a change, which tells both addresses as they are.
    #expect(try await store.sync(offers(3, link: "8"), at: 4000).counts.changed == 1)
    #expect(try await Self.recorded(store).last?.hasPrefix(#"4 changed 1 {"url":"#) == true)
  }

  /// The recorded changes with their runs and changed fields.
  private static func recorded(_ store: OffersDatabase) async throws -> [String] {
    try await store.exported().records.compactMap { record in
      guard case .change(let change) = record else { return nil }
      let line = "\(change.run) \(change.kind) \(change.ref.offerID)"
      return line + (change.fields.map { " " + $0 } ?? "")
    }
  }

  @Test(
    "each new, changed, gone or returned offer is recorded, with the changed fields",
    arguments: StoreKind.allCases)
  func records(kind: StoreKind) async throws {
    let store = try await kind.open().store
    try await store.sync([
      FeedOffer("1", description: "Any size", reward: .dollars(75)), FeedOffer("2"),
    ])
    try await store.sync([FeedOffer("1", name: "Milk \"1\"", reward: .dollars(125))], at: 2000)
    let percent = Reward(text: "5%", value: .percent(hundredths: 500), isUpTo: true)
    let run = try await store.sync(
      [FeedOffer("1", name: "Milk \"1\""), FeedOffer("2", reward: percent)], at: 3000)
    let (old, new) = (
      #"{"text":"$75","kind":"amount","minor_units":75,"currency":"USD","percent":null,"up_to":false}"#,
      #"{"text":"$125","kind":"amount","minor_units":125,"currency":"USD","percent":null,"up_to":false}"#
    )
    let back =
      #"{"text":"5%","kind":"percent","minor_units":null,"currency":null,"percent":5,"up_to":true}"#
    let fields =
      #"{"name":{"from":"Milk","to":"Milk \"1\""},"description":{"from":"Any size","to":null},"#
    #expect(
      try await Self.recorded(store) == [
        "1 new 1", "1 new 2", #"2 changed 1 \#(fields)"reward":{"from":\#(old),"to":\#(new)}}"#,
        "2 gone 2", #"3 changed 1 {"reward":{"from":\#(new),"to":null}}"#,
        #"3 changed 2 {"reward":{"from":null,"to":\#(back)}}"#, "3 back 2",
      ])
    #expect(Self.text(run.counts) == "0|1|0|1|0|0")
  }

  @Test(
    "many large changes of all kinds are recorded in order, with their run",
    arguments: StoreKind.allCases)
  func recordsMany(kind: StoreKind) async throws {
    let store = try await kind.open().store
    let long = String(repeating: "milk ", count: 4000)
    let ids = (1...300).map(String.init)
    try await store.sync(ids.map { FeedOffer($0, description: long) })
    try await store.sync(
      (101...300).map { FeedOffer(String($0), description: long + "\($0)") }, at: 2000)
    // The first ones are back, every second one with another text.
    try await store.sync(
      ids.prefix(200).enumerated().map {
        FeedOffer($1, description: $0.isMultiple(of: 2) ? long + "!" : long)
      } + [FeedOffer("new")], at: 3000)

    var expected = ids.map { "1 new \($0)" }
    expected += ids.dropFirst(100).map { "2 changed \($0)" }
    expected += ids.prefix(100).map { "2 gone \($0)" }
    for (place, id) in ids.prefix(100).enumerated() {
      if place.isMultiple(of: 2) { expected.append("3 changed \(id)") }
      expected.append("3 back \(id)")
    }
    expected += ids[100..<200].map { "3 changed \($0)" } + ["3 new new"]
    expected += ids.dropFirst(200).map { "3 gone \($0)" }
    let told = try await Self.recorded(store).map {
      $0.split(separator: " ").prefix(3).joined(separator: " ")
    }
    #expect(told == expected)
  }

  @Test(
    "a preview tells the run and the changes, and writes nothing", arguments: StoreKind.allCases)
  func previews(kind: StoreKind) async throws {
    let store = try await kind.open().store
    try await store.sync([FeedOffer("1"), FeedOffer("2", reward: .dollars(50)), FeedOffer("3")])
    let before = try await Self.contents(store)
    let plan = try await store.plan(
      [FeedOffer("1", name: "Oats"), FeedOffer("2", reward: .dollars(75)), FeedOffer("4")],
      at: 2000)
    let (run, changes) = try await store.preview(plan)
    #expect(try await Self.contents(store) == before)
    let written = try await store.apply(plan)
    #expect(written.counts == run.counts && Self.text(run.counts) == "1|2|1|0|0|0")
    var query = ChangeQuery(now: .at(1))
    query.since = .at(2000)
    let told = try await store.fetchChanges(query).changes
    #expect(changes.map(\.kind) == told.map(\.kind))
    #expect(changes.map(\.offer) == told.map(\.offer))
    #expect(changes.map(\.oldReward) == told.map(\.oldReward))
  }

  @Test(
    "an offer with another hash and the same values is unchanged and keeps its time",
    arguments: StoreKind.allCases)
  func ignoresAnotherHash(kind: StoreKind) async throws {
    let store = try await kind.open().store
    var offer = FeedOffer(
      "1", reward: .dollars(75), more: [.latitude: "52.50", .longitude: "-0.10"])
    try await store.sync([offer])
    offer.seed = 1
    offer.more = [.latitude: "52.5", .longitude: "-0.1"]
    let run = try await store.sync([offer], at: 2000)
    #expect(Self.text(run.counts) == "0|0|0|0|1|0")
    #expect(try await store.fetchOffer(named: "1").changedAt == .at(1000))
    #expect(try await store.fetchChanges(ChangeQuery(now: .at(1))).changes.count == 1)
    // The new hash was stored, so the next sync has nothing to compare.
    let plan = try await store.plan([offer], at: 3000)
    #expect(plan.run.counts.unchanged == 1)
  }

  @Test("a canonically equivalent spelling counts as a change", arguments: StoreKind.allCases)
  func comparesBytes(kind: StoreKind) async throws {
    let store = try await kind.open().store
    try await store.sync([FeedOffer("1", name: "Caf\u{E9}")])
    let run = try await store.sync([FeedOffer("1", name: "Cafe\u{301}")], at: 2000)
    #expect(run.counts.changed == 1)
  }

  @Test(
    "the second record of a repeated new id is skipped and reported with its position",
    arguments: StoreKind.allCases)
  func keepsFirst(kind: StoreKind) async throws {
    let store = try await kind.open().store
    let run = try await store.sync([
      FeedOffer("1", name: "First"), FeedOffer("2"), FeedOffer("1", name: "Second"),
    ])
    #expect(Self.text(run.counts) == "2|0|0|0|0|1")
    #expect(
      run.problems == [
        ReadProblem(position: 3, effect: .skipped, reason: "id 1 came before; the first one counts")
      ])
    #expect(try await store.fetchOffer(named: "1").name == "First")
    let many = try await store.sync((0..<100).map { _ in FeedOffer("x") }, feed: "many")
    #expect(many.counts.skipped == 99 && many.problems.count == SyncRun.problemLimit)
  }

  @Test("a sync does not change other feeds' offers", arguments: StoreKind.allCases)
  func keepsToItsFeed(kind: StoreKind) async throws {
    let store = try await kind.open().store
    try await store.sync([FeedOffer("1"), FeedOffer("2")])
    let before = try await store.fetchOffers(OfferQuery(feed: "ibotta"))
    try await store.sync([FeedOffer("2", name: "Eggs")], feed: "grocer", at: 2000)
    try await store.sync([], feed: "grocer", at: 3000)
    #expect(try await store.fetchOffers(OfferQuery(feed: "ibotta")) == before)
    let gone = try await store.fetchOffers(OfferQuery(goneOnly: true))
    #expect(gone.map(\.ref.description) == ["grocer:2"] && gone.first?.goneAt == .at(3000))
  }

  @Test("a sync that fails halfway leaves nothing behind", arguments: StoreKind.allCases)
  func isAllOrNothing(kind: StoreKind) async throws {
    let store = try await kind.open().store
    // The store refuses the last record, one without a name: of a first sync, and of a later one.
    for old in [[], [FeedOffer("1"), FeedOffer("2")]] {
      if !old.isEmpty { try await store.sync(old) }
      let before = try await Self.contents(store)
      let offers = [FeedOffer("1", name: "Oats"), FeedOffer("4"), FeedOffer("3", name: "")]
      let error = await refusal { try await store.sync(offers, at: 2000) }
      #expect(error?.code == .storageFailed)
      #expect(try await Self.contents(store) == before)
    }
  }

  @Test(
    "known offers that another sync has changed since the comparison end as the later sync says",
    arguments: StoreKind.allCases)
  func overlaps(kind: StoreKind) async throws {
    let opened = try await kind.open()
    let (store, other) = (opened.store, try await opened.openAgain())
    try await store.sync((1...4).map { FeedOffer("\($0)") })
    let late = try await store.plan(
      [FeedOffer("1", name: "Late"), FeedOffer("3"), FeedOffer("5")], at: 2000)
    try await other.sync(
      [FeedOffer("1", name: "Early"), FeedOffer("2"), FeedOffer("5", name: "Early")], at: 2001)
    let run = try await store.apply(late)
    #expect(run.counts.new == 0 && run.counts.skipped == 1)
    #expect(try await store.fetchOffer(named: "1").name == "Late")
    #expect(try await store.fetchOffer(named: "5").name == "Early")
    let current = try await store.ids()
    #expect(try await store.findSyncState(of: "ibotta")?.currentCount == current.count)
    #expect(try await store.fetchFeeds().first?.currentCount == current.count)
  }

  @Test(
    "a list, a search and an export see the state before or after a sync, never a part",
    arguments: StoreKind.allCases)
  func isSeenWhole(kind: StoreKind) async throws {
    let opened = try await kind.open()
    let reader = try await opened.openAgain()
    let offers = (1...300).map { FeedOffer("\($0)", name: "Tea") }
    try await opened.store.sync(offers)
    try await withThrowingTaskGroup { group in
      group.addTask {
        for round in 1...10 {
          let isFull = round.isMultiple(of: 2)
          try await opened.store.sync(isFull ? offers : Array(offers.prefix(3)), at: 1000 + round)
        }
      }
      group.addTask {
        for _ in 1...50 {
          let count = try await reader.ids().count
          #expect(count == 300 || count == 3)
        }
      }
      group.addTask {
        for _ in 1...10 {
          let hits = try await reader.search(SearchQuery("tea", limit: 1000)).hits
          let exported = try await reader.exported().offers.filter { $0.goneAt == nil }
          for count in [hits.count, exported.count] { #expect(count == 300 || count == 3) }
        }
      }
      try await group.waitForAll()
    }
    #expect(try await reader.ids().count == 300)
  }
}
