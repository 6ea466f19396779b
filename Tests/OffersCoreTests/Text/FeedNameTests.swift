import OffersCore
import Testing

@Suite("Names of feeds")
struct FeedNameTests {
  @Test(
    "a suggested name resembles the text, is valid, and is not taken",
    arguments: [
      ("Tea Shop", "tea-shop"), ("  Café Lumière® – Offers! ", "cafe-lumiere-offers"),
      ("Joe's Deals", "joes-deals"), ("taken", "taken-3"), ("茶", nil), ("", nil), ("--", nil),
      ("2026", "2026"), ("İstanbul", "istanbul"), ("Große Straße’s Ærø", "grosse-strasses-aero"),
      (
        "The one and only list of all the offers of this town and of the next",
        "the-one-and-only-list-of-all-the-offers"
      ),
      (String(repeating: "a", count: 99), String(repeating: "a", count: 40)),
    ])
  func suggests(text: String, expected: String?) {
    let name = FeedName.suggestion(for: text, besides: ["taken", "taken-2"])
    #expect(name == expected)
    #expect(name.map(FeedName.isValid) ?? true)
  }
}
