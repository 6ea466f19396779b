import Foundation
import OffersCore
import Testing

@testable import OffersServer

@Suite("Cards of offers")
struct CardTests {
  @Test(
    "a printed reward is split into its amount and the words around it",
    arguments: [
      ("$3.50 Cash Back", nil, "$3.50", "Cash Back"),
      ("Up to $12.00 Cash Back", "Up to", "$12.00", "Cash Back"),
      ("Price 9.99 USD", "Price", "9.99 USD", nil),
      ("EUR 1.299,00", nil, "EUR 1.299,00", nil),
      ("CA$ 5", nil, "CA$ 5", nil),
      ("5 % auf alles", nil, "5 %", "auf alles"),
      ("$5 – $10 off", nil, "$5 – $10", "off"),
      ("1 980 円", nil, "1 980 円", nil),
      ("200 kr rabatt på 2 varor", nil, "200 kr", "rabatt på 2 varor"),
      ("GET $5 OFF", "GET", "$5", "OFF"),
      ("ALL 5 EUR TOP 10", "ALL", "5 EUR", "TOP 10"),
    ] as [(String, String?, String, String?)])
  func splits(text: String, lead: String?, amount: String, rest: String?) {
    let code = ["USD", "EUR"].first { text.contains($0) }
    let parts = PrintedAmount(text, value: .amount(minorUnits: 1, currency: code))
    #expect(parts.lead == lead)
    #expect(parts.amount == amount)
    #expect(parts.rest == rest)
    #expect(!parts.isWords)
  }

  @Test(
    "a reward without an exact value stays whole",
    arguments: ["Buy 2, get 1 free", "Free", "", " "])
  func keepsWords(text: String) {
    let parts = PrintedAmount(text, value: nil)
    #expect(parts.amount == text && parts.lead == nil && parts.rest == nil && parts.isWords)
    #expect(PrintedAmount("Free", value: .percent(hundredths: 1)).isWords)
  }

  @Test("cards tell for some days that an offer is new or pays more, and never after a first sync")
  func tellsNews() async throws {
    let home = try await ServedHome(feeds: [])
    func document(_ values: [String]) -> String {
      "["
        + values.enumerated().map {
          #"{"id":"\#($0.offset)","name":"Tea","current_value":"$\#($0.element) Cash Back"}"#
        }.joined(separator: ",") + "]"
    }
    let label = "data-news>"
    try await home.sync("ibotta", document(["1.00", "3.00"]))
    for path in ["/", "/feeds/ibotta"] {
      let page = try await home.show(path).text
      #expect(!page.contains(label), "\(path)")
    }
    try await home.sync("ibotta", document(["2.00", "2.00", "4.00"]))
    for path in ["/", "/feeds/ibotta", "/search?q=tea"] {
      let page = try await home.show(path).text
      #expect(page.count(of: label) == 2, "\(path)")
      #expect(page.contains(">Went up</time>") && page.contains(">New</time>"), "\(path)")
    }
    let stored = try await home.show("/api/v1/offline/offers?refs=ibotta:0,ibotta:1,ibotta:2").text
    #expect(stored.count(of: #""newsKind""#) == 2)
    let clock = SteppedClock()
    clock.advance(by: 4 * 86_400)
    let client = try home.client(home.server(clock: clock))
    let page = try await client.get("/").text
    #expect(!page.contains(label))
  }
}
