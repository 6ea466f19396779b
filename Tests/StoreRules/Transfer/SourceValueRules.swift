import OffersCore
import OffersTestSupport
import Testing

@Suite("Values in the addresses of runs")
struct SourceValueRules {
  private static let key = "S3cr3tK3y"
  private static let address = "https://x.example/o.json?api_key=\(key)&page=1"

  /// A store with rows of an older version, whose runs and errors name addresses as they were read.
  private static func home(_ kind: StoreKind) async throws -> DatabaseHome {
    let home = try await DatabaseHome(kind)
    try await home.sync([FeedOffer("tea")])
    let error = OffersError(
      .sourceFailed, "\(address) answered 500.",
      hint: Hint("See \(address).", command: "offers sync ibotta --from '\(address)'"))
    for (number, outcome) in [SyncOutcome.unchanged, .failed].enumerated() {
      try await home.store.record(
        SyncRun(
          feed: "ibotta", source: address, outcome: outcome, bytes: 0,
          startedAt: .at(2000 + number), durationSeconds: 0,
          error: outcome == .failed ? error : nil),
        remember: nil, fetch: nil)
    }
    try await home.store.setFavorites(named: ["tea"], to: true)
    return home
  }

  @Test("are hidden when the last run of a feed is read", arguments: StoreKind.allCases)
  func reading(kind: StoreKind) async throws {
    let home = try await Self.home(kind)
    let run = try #require(try await home.store.fetchFeeds().first?.lastRun)
    #expect(run.source == "https://x.example/o.json?api_key={hidden}&page={hidden}")
    #expect(run.error?.message == "\(run.source) answered 500.")
    #expect(!"\(run)".contains(Self.key))
  }

  @Test(
    "are not exported; an export of favorites has no address of a run",
    arguments: StoreKind.allCases)
  func exporting(kind: StoreKind) async throws {
    let home = try await Self.home(kind)
    let all = try await home.store.exported()
    #expect(!(try all.text().contains(Self.key)))
    #expect(try all.text().contains("x.example/o.json?api_key={hidden}"))
    let some = try await home.store.exported(favoritesOnly: true)
    #expect(!(try some.text().contains("x.example")))
    #expect(!(try some.text().contains("/feeds/ibotta.json")))
    for kept in [all, some] {
      let other = try await DatabaseHome(kind)
      try await other.store.take(kept)
      #expect(
        try await other.store.exported(favoritesOnly: kept.offers.count == some.offers.count).text()
          .contains(Self.key) == false)
    }
  }

  @Test(
    "a named source with a value is in an export of all, and not in one of favorites",
    arguments: StoreKind.allCases)
  func named(kind: StoreKind) async throws {
    let home = try await Self.home(kind)
    let run = SyncRun(
      feed: "ibotta", source: Self.address, outcome: .unchanged, bytes: 0, startedAt: .at(3000),
      durationSeconds: 0)
    try await home.store.record(
      run, remember: ChosenSource(Self.address, origin: .machine), fetch: nil)
    #expect(
      try await home.store.exported().text().contains("\"chosen_source\":\"\(Self.address)\""))
    #expect(!(try await home.store.exported(favoritesOnly: true).text().contains(Self.key)))
    let plain = ChosenSource("https://x.example/o.json", origin: .machine)
    try await home.store.record(run, remember: plain, fetch: nil)
    #expect(
      try await home.store.exported(favoritesOnly: true).text()
        .contains("\"chosen_source\":\"https://x.example/o.json\""))
  }
}
