import OffersCore
import Testing

@testable import OffersServer

@Suite("Words of errors, places and pictures")
struct ErrorWordsTests {
  @Test("an error of a source is a sentence without technical text, which stands in the details")
  func sources() {
    for code in [OffersError.Code.sourceFailed, .malformedFeed, .limitExceeded, .notFound] {
      let error = OffersError(code, "https://a.example/x answered 503.", hint: "Sync again later.")
      let words = ErrorWords(error, ofFeed: "Films")
      #expect(words.sentence.contains("Films") && words.sentence.hasSuffix("."))
      #expect(!words.sentence.contains("503") && !words.sentence.contains("https:"))
      #expect(words.details == "https://a.example/x answered 503. Sync again later.")
    }
  }

  @Test("the own words of a server that refuses come first, and then what to do")
  func quoted() {
    let error = OffersError(
      .sourceFailed, "https://a.example/x answered 401: Invalid API key",
      hint: "Check the key."
    ).quoting("Invalid API key")
    let words = ErrorWords(error, ofFeed: "Films")
    #expect(words.sentence == "“Invalid API key” Check the key.")
    #expect(words.details == "https://a.example/x answered 401: Invalid API key")
  }

  @Test("an error that is written for a person keeps its message")
  func people() {
    let words = ErrorWords(
      OffersError(.notFound, "There is no feed “x”.", hint: "See the settings."))
    #expect(words.sentence == "There is no feed “x”.")
    #expect(words.details == "See the settings.")
    #expect(ErrorWords(OffersError(.invalidRequest, "A page is missing.")).details == nil)
  }

  @Test("every code has a sentence")
  func codes() {
    for code in [
      OffersError.Code.invalidRequest, .notFound, .ambiguous, .malformedFeed, .unexpectedShape,
      .malformedImage, .sourceFailed, .noNetwork, .limitExceeded, .heldBack, .locked,
      .storageFailed, .storeUnreachable, .newerDatabase,
    ] {
      for feed in [nil, "Films"] {
        #expect(!ErrorWords(OffersError(code, "M."), ofFeed: feed).sentence.isEmpty)
      }
    }
  }

  @Test(
    "an address in one text is divided into its lines",
    arguments: [
      (
        "5100 Belt Line Road, STE 502 (at 2nd), Addison, TX 75254, United States",
        ["5100 Belt Line Road, STE 502 (at 2nd)", "Addison, TX 75254", "United States"]
      ),
      ("Rathausplatz 1, 1010 Wien, AT", ["Rathausplatz 1", "1010 Wien", "AT"]),
      ("One line", ["One line"]), ("A\nB, ,", ["A", "B"]), ("", []),
    ])
  func addresses(text: String, lines: [String]) {
    #expect(OfferLocationFields.lines(of: text) == lines)
  }

  @Test(
    "a profile at Twitter is a link if it is a name",
    arguments: [
      ("Twitter", "@hopdoddy", "https://twitter.com/hopdoddy"),
      ("twitter", "hop_doddy1", "https://twitter.com/hop_doddy1"), ("Twitter", "@", nil),
      ("Twitter", "@a/b", nil), ("Twitter", "@a b", nil), ("Phone", "@hopdoddy", nil),
    ] as [(String, String, String?)])
  func profiles(label: String, value: String, link: String?) {
    #expect(PageLinks.twitter(OfferAttribute(label: label, value: value)) == link)
  }
}
