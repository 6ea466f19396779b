import Foundation
import OffersCore
import OffersStore
import OffersTestSupport
import Testing

/// A store whose syncs run by a clock that the test sets.
private struct ClockHome {
  static let day = 86_400
  /// 2026-01-01.
  static let start = 1_767_225_600

  let store: OffersDatabase

  init(_ kind: StoreKind) async throws { store = try await kind.open().store }

  /// Eight offers, all of which change at each sync up to day 40; 1 and 2 vanish on day 35.
  static func filled(_ kind: StoreKind) async throws -> ClockHome {
    let home = try await ClockHome(kind)
    for day in [0.0, 20, 35, 38, 40] {
      try await home.sync(day < 35 ? 1...8 : 3...8, name: "\(Int(day))", at: seconds(day))
    }
    #expect(try await home.counts[0] == 2)
    return home
  }

  static func seconds(_ day: Double) -> Int { start + Int(day * Double(Self.day)) }
  static func date(_ day: Double) -> Date { .at(seconds(day)) }
  private static func day(_ date: Date) -> Int {
    (Int(date.timeIntervalSince1970) - start) / Self.day
  }

  /// Syncs offers, then clears away, as the engine does.
  func sync(_ ids: ClosedRange<Int>, name: String = "40", at seconds: Int) async throws {
    try await store.sync(ids.map { FeedOffer("\($0)", name: name) }, at: seconds)
    try await store.clearAway(at: .at(seconds))
  }

  /// The numbers of gone offers and of changes.
  var counts: [Int] {
    get async throws {
      [
        try await store.countOffers(OfferQuery(goneOnly: true)),
        try await store.countEverything().changes,
      ]
    }
  }

  func prune(day: Double, trusts: Bool = false, isTrial: Bool) async throws -> PruneCounts {
    try await store.prune(
      goneBefore: Self.date(day - 30), now: Self.date(day), trustsClock: trusts, isTrial: isTrial)
  }

  /// The day from which ages are counted: `now`, or that of a run.
  func witness(day: Double) async throws -> String {
    try await prune(day: day, isTrial: true).countedFrom.map { "\(Self.day($0))" } ?? "now"
  }
}

@Suite("A wrong clock and what is cleared away")
struct ClockRules {
  private typealias Home = ClockHome

  @Test(
    "vanished offers are removed by a clock only if two syncs of other days confirm it",
    arguments: StoreKind.allCases,
    [
      // One sync by a clock that is ahead, then the correct clock, at once and on the next day.
      ([49, 40.1, 41.5], nil), ([71, 40.1, 41.5], nil), ([140, 40.1, 41.5], nil),
      ([441, 40.1, 41.5], nil), ([4040, 40.1, 41.5], nil),
      // A clock that is ahead at every start and corrected later.
      (stride(from: 41.0, through: 59, by: 3).flatMap { [$0 + 401, $0 + 0.1] }, 65.1),
      // A clock that stays ahead, and a machine that was off for a year.
      ([441, 441.5, 441.9, 442], 443), ([405, 406], 407),
      // A clock that is at another time at each start.
      ([441, 4040, 40.1, 2040, 41.5], nil),
    ] as [(kept: [Double], removed: Double?)])
  func ahead(kind: StoreKind, days: (kept: [Double], removed: Double?)) async throws {
    let home = try await Home.filled(kind)
    let before = try await home.counts
    for day in days.kept {
      try await home.sync(3...8, at: Home.seconds(day))
      #expect(try await home.counts == before, "day \(day)")
    }
    if let day = days.removed {
      try await home.sync(3...8, at: Home.seconds(day))
      #expect(try await home.counts[0] == 0)
      #expect(try await home.counts[1] < before[1])
    }
  }

  @Test(
    "what vanishes and changes while the clock says 1970 is kept as usual",
    arguments: StoreKind.allCases, [1, 3])
  func at1970(kind: StoreKind, runCount: Int) async throws {
    let home = try await Home.filled(kind)
    let before = try await home.counts
    for run in 0..<runCount {
      // Nothing is older than the newest offer, which is not removed in any case.
      try await home.sync(4 + run...8, name: "1970 \(run)", at: 60 + run * 100_000)
    }
    let during = try await home.counts
    #expect(during[0] == before[0] + runCount && during[1] > before[1])
    let gone = try await home.store.fetchOffers(OfferQuery(goneOnly: true))
    #expect(gone.allSatisfy { $0.goneAt ?? .distantPast >= $0.firstSeenAt })
    for day in [40.5, 41.5, 42.5, 64.5, 72] {
      try await home.sync(4 + runCount - 1...8, name: "42", at: Home.seconds(day))
      #expect(try await home.counts[0] == during[0], "day \(day)")
      #expect(try await home.counts[1] >= during[1], "day \(day)")
    }
    // 30 days after they vanished, as the order of the runs tells.
    try await home.sync(4 + runCount - 1...8, name: "42", at: Home.seconds(73))
    #expect(try await home.counts[0] == 0)
  }

  @Test(
    "a machine without a clock, which starts at 1970, clears away by its correct syncs",
    arguments: StoreKind.allCases)
  func startsAt1970(kind: StoreKind) async throws {
    let home = try await Home(kind)
    for day in stride(from: 0, through: 70, by: 5) {
      // The newest change is that of an offer that stays.
      let name = day < 10 ? "x" : "y"
      for seconds in [100 + day, Home.seconds(Double(day))] {
        try await home.sync(day < 5 ? 1...8 : 3...8, name: name, at: seconds)
      }
      if day == 25 { #expect(try await home.counts[0] == 2) }
    }
    #expect(try await home.counts[0] == 0)
  }

  @Test(
    "a clock that is behind removes nothing, nor does the next correct one",
    arguments: StoreKind.allCases, [1.0, 35, 300])
  func behind(kind: StoreKind, days: Double) async throws {
    let home = try await Home.filled(kind)
    let before = try await home.counts
    for day in [40 - days, 41.2 - days, 41.5] {
      try await home.sync(4...8, name: "b", at: Home.seconds(day))
    }
    #expect(try await home.counts == [before[0] + 1, before[1] + 1 + 5])
    // Never before the run before it.
    #expect(try await home.store.fetchOffer(named: "3").goneAt == Home.date(40))
  }

  @Test(
    "an app that syncs every two months counts ages from the sync before the last one",
    arguments: StoreKind.allCases)
  func rareSyncs(kind: StoreKind) async throws {
    let home = try await Home(kind)
    for number in 0...9 {
      let day = number * 60
      try await home.sync(
        number == 0 ? 1...8 : 3...8, name: "\(number)", at: Home.seconds(Double(day)))
      if number > 1 { #expect(try await home.witness(day: Double(day)) == "\(day - 120)") }
      // The offers vanished on day 60; those of day 120 and 180 confirm it.
      #expect(try await home.counts[0] == (1...3 ~= number ? 2 : 0), "day \(day)")
    }
    // Changes older than 400 days, counted from day 420, are gone.
    let changes = try await home.store.fetchChanges(ChangeQuery(now: Home.date(540))).changes
    #expect(changes.first?.at == Home.date(60))
  }

  @Test(
    "an app that syncs less than every half year clears away after three syncs a day apart",
    arguments: StoreKind.allCases)
  func veryRareSyncs(kind: StoreKind) async throws {
    let home = try await Home(kind)
    for day in [0.0, 200, 400] {
      try await home.sync(day == 0 ? 1...8 : 3...8, at: Home.seconds(day))
    }
    for (day, count) in [(401.0, 2), (402, 0)] {
      try await home.sync(3...8, name: "b", at: Home.seconds(day))
      #expect(try await home.counts[0] == count)
    }
  }

  @Test(
    "a new store, and one whose only runs are in the future, believe the clock",
    arguments: StoreKind.allCases)
  func noWitness(kind: StoreKind) async throws {
    let home = try await Home(kind)
    #expect(try await home.witness(day: 0) == "now")
    try await home.sync(1...8, at: Home.seconds(500))
    for (day, witness) in [
      (0, "now"), (500.5, "now"), (501, "now"), (515, "now"), (516, "500"), (684, "500"),
    ] {
      #expect(try await home.witness(day: day) == witness, "day \(day)")
    }
  }

  @Test(
    "a prune by hand counts as clearing away does, and can be told to trust the clock",
    arguments: StoreKind.allCases)
  func pruneByHand(kind: StoreKind) async throws {
    let home = try await Home.filled(kind)
    for isTrial in [true, false] {
      for day in [80.0, 441] {
        let counts = try await home.prune(day: day, isTrial: isTrial)
        #expect(counts.offers == 0 && counts.countedFrom == Home.date(38))
      }
    }
    #expect(try await home.counts[0] == 2)
    let trial = try await home.prune(day: 441, trusts: true, isTrial: true)
    #expect(trial.offers == 2 && trial.countedFrom == nil)
    #expect(try await home.prune(day: 441, trusts: true, isTrial: false) == trial)
  }
}
