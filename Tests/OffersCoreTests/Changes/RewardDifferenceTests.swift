import OffersCore
import Testing

@Suite("By how much a reward has changed")
struct RewardDifferenceTests {
  private static func amount(_ units: Int64, _ currency: String? = "USD", upTo: Bool = false)
    -> Reward
  {
    Reward(text: "", value: .amount(minorUnits: units, currency: currency), isUpTo: upTo)
  }
  private static func percent(_ hundredths: Int64) -> Reward {
    Reward(text: "", value: .percent(hundredths: hundredths))
  }

  @Test("amounts of one currency and percentages have a difference")
  func tells() {
    #expect(
      Self.amount(125).difference(from: Self.amount(50))
        == .amount(minorUnits: 75, currency: "USD"))
    #expect(
      Self.amount(50).difference(from: Self.amount(125))
        == .amount(minorUnits: -75, currency: "USD"))
    #expect(Self.percent(750).difference(from: Self.percent(500)) == .percent(hundredths: 250))
  }

  @Test("equal and incomparable rewards have none, and no number overflows")
  func refuses() {
    let one = Self.amount(100)
    for other in [
      one, Self.amount(50, "EUR"), Self.amount(50, nil), Self.percent(50),
      Self.amount(50, upTo: true), Reward(text: "Free"),
    ] {
      #expect(one.difference(from: other) == nil, "\(other)")
    }
    #expect(Self.amount(.max).difference(from: Self.amount(.min)) == nil)
    #expect(Self.amount(.min).difference(from: Self.amount(0)) == nil)
  }
}
