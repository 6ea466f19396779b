import Foundation
import OffersCore
import OffersTestSupport
import Testing

@testable import OffersSQLite
@testable import OffersStore

/// A database whose syncs run by a clock that the test sets.
private struct ClockHome {
  static let day = 86_400
  /// 2026-01-01.
  static let start = 1_767_225_600

  let store: Store

  init() async throws { store = try await Store() }

  /// Syncs offers on a day after `start`, then clears away, as the engine does.
  func sync(_ ids: ClosedRange<Int>, name: String = "Tea", day: Double) async throws {
    try await sync(ids, name: name, at: Self.start + Int(day * Double(Self.day)))
  }

  func sync(_ ids: ClosedRange<Int>, name: String = "Tea", at seconds: Int) async throws {
    try await store.sync(ids.map { FeedOffer("\($0)", name: name) }, at: seconds)
    try await store.database.clearAway(at: ChangeTests.date(seconds))
  }

  /// A feed that is synced daily up to day 40: 8 offers, all of which change daily; 1 and 2 vanish on
  /// day 35.
  static func daily() async throws -> ClockHome {
    let home = try await ClockHome()
    for day in 0...40 {
      try await home.sync(day < 35 ? 1...8 : 3...8, name: "\(day)", day: Double(day))
    }
    return home
  }

  /// The number of gone offers and of rows of changes.
  var counts: [Int] {
    get throws {
      try ["SELECT count(*) FROM offer WHERE gone_at IS NOT NULL", "SELECT count(*) FROM change"]
        .map { Int(try store.rows($0)[0]) ?? -1 }
    }
  }

  func trust(day: Double) async throws -> ClockTrust {
    let seconds = Int64(Self.start) + Int64(day * Double(Self.day))
    return try await store.database.transaction(.read) {
      try ClockTrust.find(at: seconds, in: StoredHistory($0))
    }
  }

  static func run(day: Double) -> ClockTrust { .run(Int64(start) + Int64(day * Double(self.day))) }
  static func none(day: Double) -> ClockTrust {
    .none(Int64(start) + Int64(day * Double(self.day)))
  }
}

@Suite("A wrong clock and what is cleared away")
struct ClockTrustTests {
  private typealias Home = ClockHome

  @Test("one sync by a clock that is ahead removes nothing", arguments: [9.0, 31, 100, 401, 4000])
  func ahead(days: Double) async throws {
    let home = try await Home.daily()
    let before = try home.counts
    #expect(before == [2, 1 + 2 + 40 * 6 + 34 * 2])
    try await home.sync(3...8, name: "40", day: 40 + days)
    #expect(try home.counts == before)
    // Nor does the correct clock afterwards, at once or on the next day.
    for day in [40.1, 41.5] { try await home.sync(3...8, name: "40", day: day) }
    #expect(try home.counts == before)
  }

  @Test("a clock that is ahead at every start and corrected later never removes anything early")
  func aheadAtEveryStart() async throws {
    let home = try await Home.daily()
    let before = try home.counts
    for day in 41...60 {
      try await home.sync(3...8, name: "40", day: Double(day) + 401)
      try await home.sync(3...8, name: "40", day: Double(day) + 0.1)
      #expect(try home.counts == before, "day \(day)")
    }
    try await home.sync(3...8, name: "40", day: 65.1)
    #expect(try home.counts[0] == 0, "30 days after they vanished")
  }

  @Test("a clock that stays ahead is believed by a sync a day later, and not before")
  func agreesLater() async throws {
    let home = try await Home.daily()
    let before = try home.counts
    for day in [441.0, 441.5, 441.9] {
      try await home.sync(3...8, name: "40", day: day)
      #expect(try home.counts == before, "day \(day)")
    }
    try await home.sync(3...8, name: "40", day: 442)
    #expect(try home.counts[0] == 0)
    #expect(try home.counts[1] < 20)
  }

  @Test("a machine that was off for a year clears away at the second sync, a day later")
  func yearLongPause() async throws {
    let home = try await Home.daily()
    let before = try home.counts
    try await home.sync(3...8, name: "a", day: 405)
    #expect(try home.counts == [before[0], before[1] + 6])
    #expect(try await home.trust(day: 405) == Home.none(day: 40))
    try await home.sync(3...8, name: "a", day: 406)
    #expect(try home.counts[0] == 0)
  }

  @Test("what vanishes and changes while the clock says 1970 is kept as usual", arguments: 1...3)
  func at1970(runCount: Int) async throws {
    let home = try await Home.daily()
    let before = try home.counts
    for run in 0..<runCount {
      // Nothing is older than the newest offer, which is not removed in any case.
      try await home.sync(4 + run...8, name: "1970 \(run)", at: 60 + run * 100_000)
    }
    let during = try home.counts
    #expect(during[0] == before[0] + runCount && during[1] > before[1])
    let earliest = try home.store.rows("SELECT min(gone_at - first_seen_at) FROM offer")
    #expect((Int(earliest[0]) ?? -1) >= 0)
    for day in [40.5, 41.5, 42.5, 64.5] {
      try await home.sync(4 + runCount - 1...8, name: "42", day: day)
      #expect(try home.counts[0] == during[0], "day \(day)")
      #expect(try home.counts[1] >= during[1], "day \(day)")
    }
    try await home.sync(4 + runCount - 1...8, name: "42", day: 72)
    #expect(try home.counts[0] == 0, "30 days after they vanished, as the order of the runs tells")
  }

  @Test("a machine without a clock, which starts at 1970 daily, clears away by its correct syncs")
  func startsAt1970Daily() async throws {
    let home = try await Home()
    for day in 0...70 {
      // The newest change is that of an offer that stays.
      let name = day < 6 ? "x" : "y"
      try await home.sync(day < 5 ? 1...8 : 3...8, name: name, at: 100 + day)
      try await home.sync(day < 5 ? 1...8 : 3...8, name: name, day: Double(day))
      if day == 33 { #expect(try home.counts[0] == 2) }
    }
    #expect(try home.counts[0] == 0)
  }

  @Test(
    "a clock that is behind removes nothing, nor does the next correct one",
    arguments: [1.0, 35, 300])
  func behind(days: Double) async throws {
    let home = try await Home.daily()
    let before = try home.counts
    try await home.sync(4...8, name: "b", day: 40 - days)
    try await home.sync(4...8, name: "b", day: 41.2 - days)
    try await home.sync(4...8, name: "b", day: 41.5)
    #expect(try home.counts == [before[0] + 1, before[1] + 1 + 5])
    // Never before the run before it.
    let gone = try home.store.rows("SELECT gone_at FROM offer WHERE id = '3'")
    #expect(gone == ["\(Home.start + 40 * Home.day)"])
  }

  @Test("an app that syncs every two months counts ages from the sync before")
  func rareSyncs() async throws {
    let home = try await Home()
    for number in 0...8 {
      let day = Double(number * 60)
      try await home.sync(number == 0 ? 1...8 : 3...8, name: "\(number)", day: day)
      if number > 0 { #expect(try await home.trust(day: day) == Home.run(day: day - 60)) }
      // The offers vanished on day 60; the sync of day 120 confirms that of day 60.
      #expect(try home.counts[0] == (number == 1 || number == 2 ? 2 : 0), "day \(day)")
    }
    // Changes older than 400 days, counted from day 420, are gone.
    #expect(
      try home.store.rows("SELECT min(started_at) FROM sync_run NATURAL JOIN change")
        == ["\(Home.start + 60 * Home.day)"])
  }

  @Test("an app that syncs less than every half year clears away after two syncs a day apart")
  func veryRareSyncs() async throws {
    let home = try await Home()
    for number in 0...2 {
      try await home.sync(number == 0 ? 1...8 : 3...8, day: Double(number * 200))
    }
    #expect(try home.counts[0] == 2)
    try await home.sync(3...8, name: "b", day: 401)
    #expect(try home.counts[0] == 0)
  }

  @Test("a new database, and one whose only runs are in the future, believe the clock")
  func noWitness() async throws {
    let home = try await Home()
    #expect(try await home.trust(day: 0) == .now)
    try await home.sync(1...8, day: 500)
    #expect(try await home.trust(day: 0) == .now)
    #expect(try await home.trust(day: 500.5) == .now)
    #expect(try await home.trust(day: 501) == .now)
    #expect(try await home.trust(day: 508) == .now)
    #expect(try await home.trust(day: 509) == Home.run(day: 500))
    #expect(try await home.trust(day: 684) == Home.none(day: 500))
  }

  @Test("a prune by hand counts as clearing away does, refuses in doubt, and can be told to trust")
  func pruneByHand() async throws {
    let home = try await Home.daily()
    func prune(day: Double, trusts: Bool = false, isTrial: Bool) async throws -> PruneCounts {
      let now = ChangeTests.date(Home.start + Int(day * Double(Home.day)))
      return try await home.store.database.prune(
        goneBefore: now - Double(30 * Home.day), now: now, trustsClock: trusts, isTrial: isTrial)
    }
    for isTrial in [true, false] {
      let error = await #expect(throws: OffersError.self) {
        try await prune(day: 441, isTrial: isTrial)
      }
      #expect(error?.code == .invalidRequest && error?.advice?.step == .program(.trustClock))
      #expect(error?.message.contains("the sync before this day was 401 days ago") == true)
      let counts = try await prune(day: 80, isTrial: isTrial)
      #expect(counts.offers == 0)
      #expect(counts.countedFrom == ChangeTests.date(Home.start + 40 * Home.day))
    }
    #expect(try home.counts[0] == 2)
    let trial = try await prune(day: 441, trusts: true, isTrial: true)
    #expect(trial.offers == 2 && trial.countedFrom == nil)
    #expect(try await prune(day: 441, trusts: true, isTrial: false) == trial)
  }
}
