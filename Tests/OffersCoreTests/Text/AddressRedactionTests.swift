import Foundation
import Testing

@testable import OffersCore

@Suite("Values in addresses")
struct AddressRedactionTests {
  @Test(
    "the values of a query are hidden, names and placeholders stay",
    arguments: [
      ("https://x.example/a?key=K&b=c", "https://x.example/a?key={hidden}&b={hidden}"),
      ("https://x.example?K", "https://x.example?{hidden}"),
      ("http://x.example/?a=&b", "http://x.example/?a=&{hidden}"),
      ("https://x.example/?k={env:KEY}&p={page}", "https://x.example/?k={env:KEY}&p={page}"),
      ("https://x.example/?k=a{env:KEY}", "https://x.example/?k={hidden}"),
      ("https://x.example/?k={env:}", "https://x.example/?k={hidden}"),
      ("https://x.example/?k=a=b?c#d=e", "https://x.example/?k={hidden}?{hidden}#d={hidden}"),
      ("https://x.example/#K", "https://x.example/#{hidden}"),
      ("https://u:p@x.example/a", "https://{hidden}@x.example/a"),
      ("https://u:p@q@x.example", "https://{hidden}@x.example"),
      ("https://x.example/a@b", "https://x.example/a@b"),
      (
        "https://x.example/\u{301}?\u{301}a=\u{301}b", "https://x.example/\u{301}?\u{301}a={hidden}"
      ),
      ("/a?b=c", "/a?b=c"), ("sample", "sample"), ("-", "-"), ("", ""),
    ])
  func sources(source: String, shown: String) {
    #expect(AddressRedaction.hidden(in: source) == shown)
    #expect(AddressRedaction.hidden(in: shown) == shown)
  }

  @Test("they are hidden in the texts of a run, of which all else stays")
  func run() {
    var run = SyncRun(
      feed: "tea", source: "https://x.example/?key=K", outcome: .heldBack, bytes: 7,
      startedAt: Date(timeIntervalSince1970: 1), durationSeconds: 2,
      error: OffersError(.heldBack, "https://x.example/?key=K lacks offers."))
    run.keptCount = 3
    run.listedCount = 4
    run.held = HeldBack(missingCount: 5, since: run.startedAt, until: nil)
    let shown = run.hidingAddresses()
    #expect(shown.source == "https://x.example/?key={hidden}")
    #expect(shown.error?.message == "https://x.example/?key={hidden} lacks offers.")
    #expect((shown.keptCount, shown.listedCount, shown.held) == (3, 4, run.held))
  }

  @Test(
    "in a text they are hidden in each address",
    arguments: [
      ("https://x/?a=K answered 500.", "https://x/?a={hidden} answered 500."),
      (
        "See “http://x/?a=K”, not http://y/?b=K.",
        "See “http://x/?a={hidden}”, not http://y/?b={hidden}."
      ),
      ("offers sync a --from 'https://x/?a=K'", "offers sync a --from 'https://x/?a={hidden}'"),
      ("a?b=c and x://", "a?b=c and x://"), ("https://x/?a=K'L", "https://x/?a={hidden}"),
      ("(https://x/?a=K)", "(https://x/?a={hidden})"),
    ])
  func texts(text: String, shown: String) {
    #expect(AddressRedaction.hidden(inText: text) == shown)
  }
}
