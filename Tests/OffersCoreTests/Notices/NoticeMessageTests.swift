import Foundation
import OffersCore
import Testing

@Suite("Messages of notices")
struct NoticeMessageTests {
  private static func entry(_ number: Int, _ sentence: String = "It is gone.")
    -> NoticeMessage.Entry
  {
    NoticeMessage.Entry(
      feed: "ibotta", offer: OfferRef(feed: "ibotta", offerID: "\(number)"),
      name: "Coffee \(number)",
      sentence: sentence, link: URL(string: "https://shop.example/\(number)"),
      facts: [.init("reward", "$3.00")], command: "offers star ibotta:\(number)")
  }

  private static func message(
    title: String = "News", _ entries: [NoticeMessage.Entry], count: Int? = nil
  ) -> NoticeMessage {
    NoticeMessage(
      id: "n_7", time: Date(timeIntervalSince1970: 1_800_000_000), title: title, entries: entries,
      count: count, link: URL(string: "https://home.example/?a=1&b=2"),
      settingsLink: URL(string: "https://home.example/settings"))
  }

  @Test("at most 20 entries are named, and the others are counted")
  func entries() {
    let message = Self.message((1...55).map { Self.entry($0) })
    #expect(message.entries.count == 20 && message.moreCount == 35)
    #expect(message.plainText().hasSuffix("\n\nand 35 more: offers notices"))
    #expect(message.htmlDocument.contains("<p>and 35 more: offers notices</p>"))
    #expect(Self.message([Self.entry(1)], count: 3).moreCount == 2)
    #expect(Self.message([Self.entry(1)], count: -1).moreCount == 0)
    #expect(!Self.message([Self.entry(1)]).plainText().contains("more"))
  }

  @Test("texts lose control and bidirectional characters, stay in one line, and are cut")
  func texts() {
    let message = Self.message(
      title: " a\u{202E}b\u{1B}[31m\r\nc\u{2028}\td\u{FEFF} ", [Self.entry(1, "x\u{0}y\u{E0041}")])
    #expect(message.title == "ab [31m c d")
    #expect(message.entries[0].sentence == "x y")
    let long = Self.message(title: String(repeating: "é", count: 81), []).title
    #expect(long.count == 80 && long.hasSuffix("é…"))
    #expect(Self.message(title: String(repeating: "é", count: 80), []).title.count == 80)
    let marks = "a" + String(repeating: "\u{301}", count: 10_000)
    #expect(Self.message(title: marks, []).title.unicodeScalars.count <= 4 * 81)
  }

  @Test("an id is a word for headers, and a link is one of the web")
  func idAndLinks() {
    func id(_ text: String) -> String {
      NoticeMessage(id: text, time: .now, title: "", entries: []).id
    }
    #expect(id("a-B_9") == "a-B_9")
    #expect(id("a b\r\nc.d") == "a-b--c-d")
    #expect(id("") == "-")
    #expect(id(String(repeating: "x", count: 99)).count == 64)
    for text in ["javascript:alert(1)", "file:///etc/passwd", "https:", "/offers"] {
      let entry = NoticeMessage.Entry(
        feed: "a", name: "b", sentence: "c", link: URL(string: text))
      #expect(entry.link == nil, "\(text)")
    }
  }

  @Test("the text of a feed is no markup in HTML")
  func html() {
    let hostile = NoticeMessage.Entry(
      feed: "a", name: "<script>alert('x')</script>", sentence: "\"quoted\" & <b>bold</b>",
      link: URL(string: "https://shop.example/?a='&b=%22"), command: "offers star 'a:<1>'")
    let html = Self.message(title: "<i>", [hostile]).htmlDocument
    #expect(!html.contains("<script>") && !html.contains("<b>") && !html.contains("<i>"))
    #expect(html.contains("&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt;"))
    #expect(html.contains("href=\"https://shop.example/?a=&#39;&amp;b=%22\""))
    #expect(html.contains("href=\"https://home.example/?a=1&amp;b=2\""))
  }

  @Test("plain text leaves out whole entries beyond its limit, and counts them")
  func limit() {
    let message = Self.message((1...5).map { Self.entry($0) }, count: 6)
    let text = message.plainText(limit: 200)
    #expect(text.utf8.count <= 200)
    #expect(
      text.hasPrefix("Coffee 1 It is gone.\nhttps://shop.example/1\noffers star ibotta:1\n\n"))
    #expect(text.hasSuffix("and 4 more: offers notices"))
    #expect(message.plainText(limit: 1) == "and 6 more: offers notices")
    #expect(!message.plainText(hasLinks: false).contains("https:"))
  }

  @Test("a short form has the first entry without what can be left out, and counts the others")
  func brief() {
    let brief = Self.message((1...5).map { Self.entry($0) }, count: 6).brief
    #expect(brief.id == "n_7" && brief.moreCount == 5)
    #expect(brief.plainText() == "Coffee 1 It is gone.\n\nand 5 more: offers notices")
    #expect(brief.entries[0].facts.isEmpty && brief.brief == brief)
  }

  @Test("each form names the watch that tells")
  func watch() {
    let entry = NoticeMessage.Entry(
      feed: "a", name: "Coffee", sentence: "is $3.00", watch: "tea & <coffee>")
    let message = Self.message([entry])
    #expect(message.plainText() == "Coffee is $3.00\nWatch: tea & <coffee>")
    #expect(
      message.htmlDocument.contains(
        "<li>Coffee is $3.00<br>Watch: tea &amp; &lt;coffee&gt;</li>"))
    #expect(message.json.contains(#""watch":"tea & <coffee>""#))
  }

  @Test("a sentence that is read later says when an offer ends, and not how soon")
  func endings() {
    let end = Date(timeIntervalSince1970: 1_800_000_000)
    let notice = Notice(
      id: 1, at: end - 7200, feed: "a", name: "Coffee", reason: .ending(end))
    let reader = TypedValues()
    // An hour more than there is would make people late.
    for (seconds, text) in [
      (7200.0, "2 hours"), (4.2 * 3600, "4 hours"), (7100, "118 minutes"), (80, "80 seconds"),
      (3.9 * 86_400, "3 days"),
    ] {
      #expect(notice.sentence(reader, at: end - seconds) == "ends in \(text)")
    }
    #expect(notice.sentence(reader, at: end + 1) == "has ended")
    #expect(notice.sentence(reader, at: nil) == "ends at \(Units.time(end))")
  }

  @Test("a change of a favorite is told with its texts, and what is held back with its numbers")
  func changes() {
    func sentence(_ reason: Notice.Reason) -> String {
      Notice(id: 1, at: .now, feed: "a", name: "Tea", reason: reason).sentence(
        TypedValues(), at: nil)
    }
    let (old, new) = (
      Date(timeIntervalSince1970: 1_800_000_000), Date(timeIntervalSince1970: 1.81e9)
    )
    let texts = [
      TextChange(field: "expires_at", old: "2027-01-15T08:00:00Z", new: "2027-05-11T01:46:40Z"),
      TextChange(field: "terms", old: nil, new: "Limit 2"),
      TextChange(field: "retailer", old: "Shop", new: nil),
    ]
    let fields = ["terms", "retailer", "expires_at", "url"]
    #expect(
      sentence(.favorite(.changed, old: nil, new: nil, fields: fields, texts: texts))
        == "has changed: other terms: “Limit 2”, no retailer any more, "
        + "another end: \(Units.time(new)), was \(Units.time(old))")
    #expect(
      sentence(.favorite(.changed, old: nil, new: nil, fields: ["terms"]))
        == "has changed: other terms")
    #expect(
      sentence(.heldBack(HeldBack(missingCount: 9, since: old, until: nil), of: 10))
        == "lacks offers: 9 of 10 offers are missing from the feed since \(Units.time(old)): "
        + "held back until they are removed by hand")
  }

  @Test("an amount of an unknown currency keeps the sign with which its feed prints it")
  func signs() {
    func sentence(_ text: String, _ units: Int64, currency: String? = nil) -> String {
      Notice(
        id: 1, at: .now, feed: "a", name: "Coffee",
        reason: .favorite(
          .up, old: nil,
          new: Reward(text: text, value: .amount(minorUnits: units, currency: currency)), fields: []
        )
      ).sentence(TypedValues(), at: nil)
    }
    #expect(sentence("$5.00 back", 500) == "is up: $5.00, was nothing")
    #expect(sentence("-$5.00", -500) == "is up: -$5.00, was nothing")
    #expect(sentence("5.00", 500) == "is up: 5.00, was nothing")
    #expect(sentence("$5.00", 500, currency: "USD") == "is up: $5.00, was nothing")
  }

  @Test("the JSON form has each entry with its state")
  func json() throws {
    let text = Self.message([Self.entry(1)], count: 2).json
    let document = try #require(
      try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
    #expect(document["id"] as? String == "n_7")
    #expect(document["at"] as? String == "2027-01-15T08:00:00Z")
    #expect(document["more"] as? Int == 1 && document["urgent"] as? Bool == false)
    let entry = try #require((document["entries"] as? [[String: Any]])?.first)
    #expect(entry["ref"] as? String == "ibotta:1")
    #expect(entry["link"] as? String == "https://shop.example/1")
    #expect(entry["state"] as? [String: String] == ["reward": "$3.00"])
    #expect(entry["command"] as? String == "offers star ibotta:1")
  }

  @Test("a reason is a sentence in one line with the words of others behind it")
  func reasons() {
    #expect(DeliveryOutcome.reason("a answered 500", words: "") == "a answered 500.")
    #expect(
      DeliveryOutcome.reason("a answered 429", words: "slow\ndown") == "a answered 429: slow down.")
    #expect(DeliveryOutcome.reason("a", words: "Stop!") == "a: Stop!")
    let long = DeliveryOutcome.reason("a", words: String(repeating: "b", count: 9_000))
    #expect(long.count <= DeliveryOutcome.longestReason)
  }
}
