import Foundation
import OffersCore
import Testing

@Suite("When a watch tells of an offer")
struct WatchEvaluationTests {
  private static func tells(
    _ rule: String, _ repeats: Watch.Repeat, _ role: ValueRole, _ values: [(Double, String?)]
  ) throws -> [String?] {
    var offer = try WatchedOffer(rule, repeats, role)
    return offer.tells(values)
  }

  private static func tells(
    _ rule: String, _ repeats: Watch.Repeat, _ values: [(Double, String?)]
  ) throws -> [String?] {
    try tells(rule, repeats, .reward, values)
  }

  private static func tells(
    _ rule: String, _ values: [(Double, String?)]
  ) throws -> [String?] {
    try tells(rule, .onEntry, .reward, values)
  }

  @Test("a new match is told once, and again after 24 hours outside")
  func match() throws {
    var offer = try WatchedOffer("match")
    #expect(offer.see(0, "$3") == "is a new match: $3.00")
    #expect(offer.see(1, "$4") == nil)
    #expect(offer.see(2, nil, isListed: false) == nil)
    #expect(offer.see(25.9, nil) == nil)
    #expect(offer.see(26, nil, isListed: false) == nil)
    #expect(offer.see(50, nil) == "is a new match")
  }

  @Test("a value that flips around a bound is told once")
  func hysteresis() throws {
    let values = (0..<20).map { (Double($0), $0 % 2 == 0 ? "$2.50" : "$1.50" as String?) }
    let once = try Self.tells("at-least $2", values)
    #expect(once == ["is $2.50, at least $2.00"] + Array(repeating: nil, count: 19))
    let each = try Self.tells("at-least $2", .each, values)
    #expect(each.compactMap(\.self).count == 10)
    #expect(
      try Self.tells("at-least $2", [(0, "$2"), (1, "$1"), (24.9, "$2"), (25, "$1"), (49, "$3")])
        == ["is $2.00, at least $2.00", nil, nil, nil, "is $3.00, at least $2.00"])
    #expect(
      try Self.tells("at-least $2", .never, [(0, "$2"), (1, "$1"), (99, "$2")])
        == ["is $2.00, at least $2.00", nil, nil])
    #expect(
      try Self.tells(
        "at-least $2", .daily, [(0, "$2"), (23, "$3"), (24, "$3"), (30, "$1"), (60, "$2")])
        == [
          "is $2.00, at least $2.00", nil, "is still $3.00, at least $2.00", nil,
          "is $2.00, at least $2.00",
        ])
  }

  @Test("a price is told when it falls to the bound")
  func atMost() throws {
    #expect(
      try Self.tells("at-most 20 EUR", .onEntry, .price, [(0, "21 EUR"), (1, "20 EUR")])
        == [nil, "is 20.00 EUR, at most 20.00 EUR"])
  }

  @Test("a bound applies to its unit only, and to values up to it")
  func units() throws {
    for (bound, value, isTold) in [
      ("$2", "3 EUR", false), ("$2", "3", false), ("2", "3 EUR", true), ("2", "3", true),
      ("2", "3 JPY", true), ("2.5", "2 JPY", false), ("2", "3%", false), ("2%", "3%", true),
      ("2%", "$3", false), ("$2", "up to $2", true), ("$2", "free", false),
    ] {
      let told = try Self.tells("at-least \(bound)", [(0, value)])
      #expect((told != [nil]) == isTold, "\(bound) \(value)")
    }
    #expect(
      try Self.tells("at-least $2", [(0, "up to $3")]) == ["is up to $3.00, at least $2.00"])
  }

  @Test("a rise or a fall is told with the value that was told before")
  func moves() throws {
    #expect(
      try Self.tells("up", [(0, "$2"), (1, "$2.50"), (2, "$3"), (3, "$2.50"), (4, "$3")])
        == [nil, "is up: $2.50, was $2.00", "is up: $3.00, was $2.50", nil, nil])
    #expect(
      try Self.tells("up", .each, [(0, "$2"), (1, "$3"), (2, "$2"), (3, "$3")])
        == [nil, "is up: $3.00, was $2.00", nil, "is up: $3.00, was $2.00"])
    #expect(
      try Self.tells("down", [(0, "$10"), (1, "$9"), (2, "$10"), (27, "$9"), (28, "$8")])
        == [
          nil, "is down: $9.00, was $10.00", nil, "is down: $9.00, was $10.00",
          "is down: $8.00, was $9.00",
        ])
    #expect(
      try Self.tells(
        "down", .daily, [(0, "$10"), (1, "$9"), (25, "$9"), (26, "$9.50"), (99, "$9.50")])
        == [nil, "is down: $9.00, was $10.00", "is still down: $9.00", nil, nil])
  }

  @Test("small steps add up to an amount or a percentage")
  func steps() throws {
    let values: [(Double, String?)] = [(0, "$10"), (50, "$9.60"), (99, "$9.20"), (150, "$9")]
    #expect(
      try Self.tells("down 10%", values) == [nil, nil, nil, "is down: $9.00, was $10.00"])
    #expect(
      try Self.tells("down 0.50", values)
        == [nil, nil, "is down: $9.20, was $10.00", nil])
    #expect(try Self.tells("down 1 EUR", values) == [nil, nil, nil, nil])
    #expect(
      try Self.tells("up 10%", [(0, "5%"), (1, "5.4%"), (2, "5.5%")])
        == [nil, nil, "is up: 5%, was 5%"])
  }

  @Test("values that are not comparable neither rise nor fall, and a missing one moves nothing")
  func incomparable() throws {
    for values in [["$2", "3 EUR"], ["2", "$3"], ["$2", "300%"], ["$2", "up to $3"]] {
      for rule in ["up", "best", "near-best 50%"] {
        var offer = try WatchedOffer(rule)
        #expect(offer.see(0, values[0]) == nil)
        #expect(offer.see(1, values[1]) == nil, "\(rule) \(values)")
      }
    }
    #expect(
      try Self.tells("up", [(0, "$2"), (1, "3 EUR"), (2, "4 EUR")])
        == [nil, nil, "is up: 4.00 EUR, was 3.00 EUR"])
    #expect(
      try Self.tells("up", [(0, "$2"), (1, nil), (2, "free"), (3, "$3")])
        == [nil, nil, nil, "is up: $3.00, was $2.00"])
  }

  @Test("the first change after a watch was added is compared with the value before it")
  func previous() throws {
    let offer = try WatchedOffer("down", .onEntry, .price)
    var observation = offer.observe(9, "$8")
    observation.previous = Reward(text: "$9", value: TypedValues.value("$9"))
    let firing = offer.rule.advance(WatchState(), observation) { [] }.firing
    #expect(firing?.sentence(TypedValues(), at: observation.at) == "is down: $8.00, was $9.00")
  }

  @Test("the best is better than all others of the period")
  func best() throws {
    let values: [(Double, String?)] = [
      (0, "$3"), (24, "$2"), (24 * 20, "$2.50"), (24 * 20 + 1, "$2"), (24 * 20 + 2, "$2.50"),
      (24 * 40, "$2"), (24 * 52, "$2.40"), (24 * 60, "$3.10"),
    ]
    #expect(
      try Self.tells("best 10d", values)
        == [
          nil, nil, "is the best in 10 days: $2.50, was $2.00", nil, nil, nil,
          "is the best in 10 days: $2.40, was $2.00", "is the best in 10 days: $3.10, was $2.40",
        ])
    #expect(
      try Self.tells("best", values).compactMap(\.self) == ["is the best ever: $3.10, was $2.40"])
    #expect(
      try Self.tells(
        "best", .daily, .price, [(0, "$3"), (1, "$2"), (25, "$2"), (26, "$2.10"), (50, "$2.10")])
        == [
          nil, "is the best ever: $2.00, was $3.00", "is still the best ever: $2.00",
          nil, nil,
        ])
  }

  @Test("a value comes near the best")
  func nearBest() throws {
    #expect(
      try Self.tells("near-best 10%", [(0, "$10"), (1, "$8.90"), (30, "$9"), (31, "$9.50")])
        == [nil, nil, "is within 10% of the best ever: $9.00, best $10.00", nil])
    #expect(
      try Self.tells(
        "near-best 10% 5d", .onEntry, .price, [(0, "$10"), (1, "$12"), (49, "$11"), (300, "$13")])
        == [nil, nil, "is within 10% of the best in 5 days: $11.00, best $10.00", nil])
    // The first value in another currency is not told, and a day later it is told again.
    #expect(
      try Self.tells(
        "near-best 10%", .daily,
        [(0, "$10"), (1, "$8"), (26, "$9.50"), (60, "10 EUR"), (61, "10 EUR"), (84, "10 EUR")])
        == [
          nil, nil, "is within 10% of the best ever: $9.50, best $10.00", nil, nil,
          "is still within 10% of the best ever: 10.00 EUR, best 10.00 EUR",
        ])
  }

  @Test("an end that comes near is told, and how soon it is when that is read")
  func ending() throws {
    var offer = try WatchedOffer("ending 48h", endsAt: 100)
    #expect(offer.see(51, nil) == nil)
    #expect(offer.see(52, nil) == "ends in 48 hours")
    #expect(offer.see(80, nil) == nil)
    var late = try WatchedOffer("ending 48h", endsAt: 100)
    #expect(late.see(101, nil) == nil)
    let observation = offer.observe(60, nil)
    let firing = offer.rule.advance(WatchState(), observation) { [] }.firing
    #expect(firing?.sentence(TypedValues(), at: WatchedOffer.date(101)) == "has ended")
  }

  @Test("an offer that was gone is told when it is back, once if it flickers")
  func back() throws {
    var offer = try WatchedOffer("back")
    #expect(offer.see(0, "$1") == nil)
    #expect(offer.see(1, "$1", isListed: false) == nil)
    #expect(offer.see(2, "$1", isBack: true) == "is back in its feed: $1.00")
    #expect(offer.see(3, "$1", isListed: false) == nil)
    #expect(offer.see(4, "$1", isBack: true) == nil)
    #expect(offer.see(5, "$1", isListed: false) == nil)
    #expect(offer.see(29, "$1", isBack: true) != nil)
    // It leaves the selection, such as by its value, and not its feed.
    #expect(offer.see(30, "$1", isListed: false) == nil)
    #expect(offer.see(90, "$1") == nil)
  }

  @Test("an offer that was shown when the watch was added is not told until it enters again")
  func begin() throws {
    let offer = try WatchedOffer("at-least $2")
    let observation = offer.observe(0, "$2")
    let state = offer.rule.begin(observation) { [] }
    #expect(state == WatchState(shownAt: observation.at))
    #expect(offer.rule.advance(state, offer.observe(1, "$3")) { [] }.firing == nil)
  }

  @Test("the same observation and older ones change nothing, unless the clock was wrong")
  func order() throws {
    var offer = try WatchedOffer("at-least $2")
    #expect(offer.see(100, "$1") == nil)
    let state = offer.state
    for hours: Double in [100, 99, 100 - 720] {
      #expect(offer.see(offer.observe(hours, "$3")) == nil)
      #expect(offer.state == state)
    }
    // The clock showed a later year, and is right again.
    #expect(offer.see(offer.observe(100 - 744, "$3")) == "is $3.00, at least $2.00")
    #expect(offer.see(offer.observe(101 - 744, "$3")) == nil)
    #expect(offer.see(offer.observe(102 - 744, "$1")) == nil)
    #expect(offer.see(offer.observe(126 - 744, "$3")) == "is $3.00, at least $2.00")
  }

  @Test("the largest numbers do not overflow")
  func extremes() throws {
    let numbers: [Int64] = [.min, -1, 0, 1, .max]
    for (rule, role) in [
      ("up 10%", ValueRole.reward), ("down 1", .price), ("best", .reward), ("near-best 1%", .price),
    ] {
      var offer = try WatchedOffer(rule, .daily, role)
      for (step, number) in (numbers + numbers.reversed()).enumerated() {
        _ = offer.see(Double(step), nil)
        var observation = offer.observe(Double(step) + 0.5, nil)
        observation.value = .amount(minorUnits: number, currency: "USD")
        _ = offer.see(observation)
      }
    }
  }

  @Test("the facts of a notice are stored and read again")
  func facts() throws {
    let offer = try WatchedOffer("near-best 5% 9d", endsAt: 90)
    var observation = offer.observe(50, "up to $9.50")
    observation.previous = Reward(text: "", value: TypedValues.value("$5"), isUpTo: true)
    let best = Reward(text: "", value: TypedValues.value("$10"), isUpTo: true)
    let firing = offer.rule.advance(WatchState(), observation) {
      [RewardPoint(at: WatchedOffer.date(0), event: .new, reward: best)]
    }.firing
    let read = try JSONDecoder().decode(WatchFiring.self, from: JSONEncoder().encode(firing))
    #expect(read == firing)
    #expect(read.old == TypedValues.value("$5") && read.best == TypedValues.value("$10"))
    #expect(read.days == 9 && read.percentHundredths == 500 && read.isUpTo && !read.isReminder)
    #expect(read.endsAt == WatchedOffer.date(90) && read.bound == nil)
  }

  @Test("a preview counts what would have been told in a period")
  func preview() throws {
    var offer = try WatchedOffer("at-least $2")
    _ = offer.tells([(0, "$1"), (24, "$2"), (48, "$1"), (96, "$3"), (97, "$1"), (98, "$2")])
    let period = WatchedOffer.date(-1000)...WatchedOffer.date(240)
    func sentence(_ rule: String, _ repeats: Watch.Repeat, endsAt: Double? = nil) throws -> String?
    {
      var preview = WatchPreview(
        of: try WatchRule(parsing: rule, TypedValues()), repeats: repeats, in: period)
      preview.add(offer.points, role: .reward, expiresAt: endsAt.map(WatchedOffer.date))
      return preview.sentence
    }
    #expect(try sentence("at-least $2", .onEntry) == "would have told you 2 times in 10 days")
    #expect(try sentence("at-least $2", .each) == "would have told you 3 times in 10 days")
    // On 24, 96, 120, …, 240.
    #expect(try sentence("at-least $2", .daily) == "would have told you 8 times in 10 days")
    #expect(try sentence("at-least $9", .daily) == "would have told you nothing in 10 days")
    #expect(
      try sentence("ending 24h", .onEntry, endsAt: 200) == "would have told you once in 10 days")
    #expect(
      try sentence("ending 24h", .onEntry, endsAt: 300) == "would have told you nothing in 10 days")
    #expect(
      WatchPreview(of: .match, repeats: .never, in: period).sentence == nil)
  }
}
