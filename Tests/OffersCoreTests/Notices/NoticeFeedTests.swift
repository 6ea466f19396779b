import Foundation
import OffersTestSupport
import Testing

@testable import OffersCore

@Suite("Feeds of notices")
struct NoticeFeedTests {
  private static let now = Date(timeIntervalSince1970: 1_795_000_000)

  private static func feed(_ entries: [NoticeFeed.Entry]) -> NoticeFeed {
    NoticeFeed(title: "Offers & more", name: "news-1", identity: "a1b2", entries: entries)
  }

  private static func entry(_ title: String) -> NoticeFeed.Entry {
    NoticeFeed.Entry(
      id: "notice-1", title: title, text: "is up: $2.00, was $1.00",
      link: URL(string: "https://shop.example/a?b=c&d=e"), at: now, changedAt: now - 60)
  }

  @Test("Atom and JSON Feed have the entries, and a text of a feed is no markup")
  func feeds() throws {
    let atom = Self.feed([Self.entry("<b>Tea</b> & \"milk\"")]).document(.atom)
    #expect(atom.contains("<title>&lt;b&gt;Tea&lt;/b&gt; &amp; &quot;milk&quot;</title>"))
    #expect(atom.contains("<id>urn:x-offers:a1b2:notice-1</id>"))
    #expect(atom.contains("<id>urn:x-offers:a1b2:news-1</id>"))
    #expect(atom.contains("href=\"https://shop.example/a?b=c&amp;d=e\""))
    let json = Self.feed([Self.entry("Tea")]).document(.jsonfeed)
    let document = try #require(
      try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any])
    let item = try #require((document["items"] as? [[String: Any]])?.first)
    #expect(item["id"] as? String == "urn:x-offers:a1b2:notice-1")
    #expect(item["date_published"] as? String == "2026-11-18T11:06:40Z")
  }

  @Test("no title adds a line to a calendar or breaks a feed")
  func hostileTitles() throws {
    let title = "Tea\r\nBEGIN:VEVENT\r\nURL:javascript:alert(1) \u{FFFE}\u{1B}["
    let feed = NoticeFeed(title: title, name: "news", identity: "a1b2", entries: [])
    let lines = feed.document(.ics).utf8.split(separator: 0x0A)
    #expect(!lines.contains { $0.starts(with: "BEGIN:VEVENT".utf8) || $0.starts(with: "URL".utf8) })
    let atom = feed.document(.atom).unicodeScalars
    #expect(!atom.contains { [0xFFFE, 0x1B].contains($0.value) })
  }

  @Test("a calendar has lines of at most 75 bytes, with the signs of its syntax escaped")
  func calendar() {
    let text = Self.feed([Self.entry("Tea, milk; é" + String(repeating: "ü", count: 80))])
      .document(.ics)
    let lines = text.utf8.split(separator: 0x0A).map { String(decoding: $0, as: UTF8.self) }
    #expect(lines.allSatisfy { $0.utf8.count <= 76 && $0.utf8.last == 0x0D })
    let unfolded = text.replacing("\r\n ", with: "")
    #expect(unfolded.contains("SUMMARY:Tea\\, milk\\; éüüü"))
    #expect(
      unfolded.contains("UID:notice-1@a1b2") && unfolded.contains("DTSTART:20261118T110640Z"))
    // An end without a time is that day.
    let day = NoticeFeed.Entry(
      id: "end-a:1", title: "Tea ends", text: "", link: nil,
      at: Date(timeIntervalSince1970: 1_796_169_599))
    let calendar = NoticeFeed(title: "Ends", name: "ends", identity: "a1b2", entries: [day])
      .document(.ics)
    #expect(calendar.contains("DTSTART;VALUE=DATE:20261201\r\n"))
    #expect(unfolded.contains("DTSTAMP:20261118T110540Z"))
  }
}
