import OffersCore
import OffersTestSupport
import Testing

@testable import OffersFeeds

@Suite("Memoized rewards")
struct RewardMemoTests {
  private static let texts = [
    "", "$1", "$1.00", "$1.000", "$10.00 Cash Back", "$10.00 Cash Bach", "$01.00 Cash Back",
    "Up to $5.00 Cash Back", "5% back", "12.5% Cash Back", "1.234,56 EUR", "12345678", "123456789",
    "Free with purchase of two", "$1.00 Cash Back on any item", "$0.75 Cash Back",
    "$0.75 Cash Back ", "$0.75 Cash Back  ",
  ]

  private static func isSame(_ left: ExactReward, _ right: ExactReward) -> Bool {
    left.kind == right.kind && left.number == right.number && left.currency == right.currency
      && left.isUpTo == right.isUpTo
  }

  @Test("they equal parsed ones, in any order and repetition", arguments: 1...4)
  func agrees(number: Int) {
    var random = SeededGenerator(number: number)
    let parser = RewardParser(feedCurrency: "USD")
    var memo = RewardMemo(parser)
    for _ in 0..<TestSize.scaled(20_000) {
      let text =
        Bool.random(using: &random)
        ? Self.texts.randomElement(using: &random) ?? ""
        : "$\(Int.random(in: 0...400, using: &random)).\(Int.random(in: 0...99, using: &random)) back"
      Array(text.utf8).withUnsafeBytes { bytes in
        #expect(Self.isSame(memo.parse(bytes), parser.parse(bytes)), "\(text)")
      }
    }
  }
}
