import Foundation
import OffersCore
import Testing

@Suite("The text of a watch's rule")
struct WatchRuleTests {
  private static func parse(_ text: String) throws -> WatchRule {
    try WatchRule(parsing: text, TypedValues())
  }

  @Test(
    "a rule is written as it was typed",
    arguments: [
      "match", "at-least $2", "at-least 5%", "at-most 20 EUR", "at-most 20", "up", "up 10%",
      "down 0.50", "down $1", "best", "best 30d", "near-best 5%", "near-best 2.5% 90d",
      "ending 48h", "ending 7d", "ending 90m", "back",
    ])
  func roundTrip(text: String) throws {
    #expect(try Self.parse(text).text == text)
  }

  @Test(
    "case, spaces and hyphens are free, and durations have one form",
    arguments: [
      ("At Least  $2 ", "at-least $2"), ("NEAR BEST 5 % ever", "near-best 5%"),
      ("best 2w", "best 14d"), ("best ever", "best"), ("ending 2d", "ending 48h"),
      ("ending 120m", "ending 2h"), ("near-best 5 % 1w", "near-best 5% 7d"),
    ])
  func forms(typed: String, written: String) throws {
    #expect(try Self.parse(typed).text == written)
    #expect(try Self.parse(typed) == Self.parse(written))
  }

  @Test(
    "a rule has words for people",
    arguments: [
      ("match", "is new, or begins to match"), ("at-least $2", "is at least $2"),
      ("up", "goes up"), ("down 10%", "goes down by 10%"), ("best", "is the best ever"),
      ("best 1d", "is the best in 1 day"),
      ("near-best 2.5% 90d", "is within 2.5% of the best in 90 days"),
      ("ending 48h", "ends within 48 hours"), ("ending 7d", "ends within 7 days"),
    ])
  func words(text: String, words: String) throws {
    #expect(try Self.parse(text).words == words)
  }

  @Test("the bounds of a watch are those of its rule and its selection, in the unit of a value")
  func bounds() throws {
    let watch = Watch(
      id: 1, selection: "tea reward:>=2 price:<=9", rule: try Self.parse("at-most $8"),
      createdAt: .now)
    func bounds(_ value: Reward.Value, _ role: ValueRole) -> [String] {
      watch.bounds(in: value, role, TypedValues()).map { $0.words(TypedValues()) }
    }
    let dollars = Reward.Value.amount(minorUnits: 1, currency: "USD")
    #expect(bounds(dollars, .reward) == ["at least $2.00", "at most $8.00"])
    #expect(bounds(dollars, .price) == ["at most $9.00", "at most $8.00"])
    let euros = Reward.Value.amount(minorUnits: 1, currency: "EUR")
    #expect(bounds(euros, .reward) == ["at least 2.00 EUR"])
    #expect(bounds(.percent(hundredths: 1), .reward) == [])
  }

  @Test("the parts have their units")
  func units() throws {
    #expect(try Self.parse("near-best 2.5% 90d") == .nearBest(percentHundredths: 250, days: 90))
    #expect(try Self.parse("ending 48h") == .ending(seconds: 172_800))
    #expect(try Self.parse("best 4w") == .best(days: 28))
    #expect(try Self.parse("down") == .down(by: nil))
  }

  @Test("a fraction of the smallest unit is rounded to the side of the bound")
  func rounds() throws {
    let yen = Reward.Value.amount(minorUnits: 0, currency: "JPY")
    for (text, limit) in [("at-least 1.50", 2), ("at-most 1.50", 1)] {
      guard case .atLeast(let amount) = try Self.parse(text) else {
        guard case .atMost(let amount) = try Self.parse(text) else { continue }
        #expect(amount.bound.limit(in: yen) == Int64(limit))
        continue
      }
      #expect(amount.bound.limit(in: yen) == Int64(limit))
    }
  }

  @Test(
    "a mistake is refused with the nearest right word, or an example",
    arguments: [
      ("", "Rules: match,"), ("at-lest $2", "Did you mean at-least?"),
      ("macth", "Did you mean match?"), ("nearbest 5%", "Did you mean near-best?"),
      ("bakc", "Did you mean back?"), ("endign 2d", "Did you mean ending?"),
      ("at-least", "Write at-least $2."), ("at-most much", "Write at-most 20 EUR."),
      ("up 0%", "Write up 10%."), ("down 101%", "Write down 0.50."), ("match 5", "Write match."),
      ("back 2d", "Write back."), ("best 12h", "Write best 30d."), ("best 0d", "Write best 30d."),
      ("best of all", "Write best 30d."), ("near-best", "Write near-best 5% 90d."),
      ("near-best $5", "Write near-best 5% 90d."), ("near-best 0%", "Write near-best 5% 90d."),
      ("near-best 5% 7h", "Write near-best 5% 90d."), ("ending", "Write ending 48h."),
      ("ending soon", "Write ending 48h."), ("ending 0h", "Write ending 48h."),
      ("at-least $2 foo", "Write at-least $2."), ("at-most foo 20 EUR", "Write at-most 20 EUR."),
      ("up 10 % x", "Write up 10 %."), ("ending 48h x", "Write ending 48h."),
      ("best 30d 5", "Write best 30d."), ("near-best 5% 90d x", "Write near-best 5% 90d."),
      ("ending 2 days", "Write ending 2d."), ("at-least -2", "Write at-least $2."),
      (String(repeating: "match ", count: 40), ""),
    ])
  func refuses(text: String, hint: String) {
    let error = #expect(throws: OffersError.self) { try Self.parse(text) }
    #expect(error?.code == .invalidRequest)
    #expect(error?.hint?.text.contains(hint) ?? hint.isEmpty, "\(String(describing: error))")
  }

  @Test(
    "a word too many is named with its place",
    arguments: [
      ("at-least $2 foo", "“foo” at character 13"), ("at least  foo $2", "“foo” at character 11"),
      ("ending 48h x", "“x” at character 12"), ("best 30d 5", "“5” at character 10"),
      ("near-best 5 % 90d x", "“x” at character 19"),
    ])
  func surplus(text: String, place: String) {
    let error = #expect(throws: OffersError.self) { try Self.parse(text) }
    #expect(error?.message.hasPrefix(place) == true, "\(String(describing: error))")
  }

  @Test("a watch of all offers needs a rule with a bound")
  func bounded() throws {
    func check(_ selection: String, _ rule: String?) throws {
      try WatchDraft(selection: selection, rule: rule, TypedValues()).checkIsBounded()
    }
    #expect(throws: OffersError.self) { try check("", nil) }
    #expect(throws: OffersError.self) { try check("sort:reward", "match") }
    try check("", "at-least $2")
    try check("coffee", nil)
    try check("feed:ibotta", nil)
  }

  @Test("a word for repeats is read, and a mistake has the nearest one")
  func repeats() throws {
    for repeats in Watch.Repeat.allCases {
      #expect(try Watch.Repeat(parsing: repeats.rawValue.uppercased()) == repeats)
    }
    let error = #expect(throws: OffersError.self) { try Watch.Repeat(parsing: "dayly") }
    #expect(error?.hint?.text.hasPrefix("Did you mean daily?") == true)
  }
}
