import OffersCore
import OffersFeeds
import Testing

@Suite("The text of a watch's rule, as people write values")
struct WatchRuleTextTests {
  @Test(
    "a rule is written as it was typed",
    arguments: [
      "match", "at-least $2", "at-least 2,50 €", "at-least 5%", "at-most 20 EUR",
      "at-most 1 299,00 Kč",
      "at-most 5 %", "up", "up 10%", "down 0.50", "best", "best 30d", "near-best 5%",
      "near-best 2.5% 90d", "ending 48h", "ending 7d", "back",
    ])
  func roundTrip(text: String) throws {
    let rule = try WatchRule(parsing: text, FilterTextParser())
    #expect(rule.text == text)
    #expect(try WatchRule(parsing: rule.text, FilterTextParser()) == rule)
  }

  @Test("a dollar sign stands for all dollars and for an unknown currency, and never for euros")
  func signs() throws {
    let rule = try WatchRule(parsing: "at-least $2", FilterTextParser())
    for (currency, isTold) in [("USD", true), ("CAD", true), (nil, true), ("EUR", false)] {
      let observation = WatchObservation(
        at: .now, value: .amount(minorUnits: 200, currency: currency), role: .reward)
      let firing = rule.advance(WatchState(), observation) { [] }.firing
      #expect((firing != nil) == isTold, "\(currency ?? "")")
    }
  }

  @Test(
    "a value that is none is refused with an example",
    arguments: [
      ("at-least much", "Write at-least $2."), ("at-most up to $5", "Write at-most $5."),
      ("near-best 5", "Write near-best 5% 90d."), ("ending 2", "Write ending 48h."),
    ])
  func refuses(text: String, hint: String) {
    let error = #expect(throws: OffersError.self) {
      try WatchRule(parsing: text, FilterTextParser())
    }
    #expect(error?.code == .invalidRequest && error?.hint?.text == hint)
  }
}
