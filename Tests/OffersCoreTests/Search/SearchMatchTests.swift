import Foundation
import OffersCore
import Testing

@Suite("Places of words in texts")
struct SearchMatchTests {
  /// The parts of a text at the string ranges of scalar ranges.
  private static func parts(_ text: String, _ ranges: [Range<Int>]) -> [String] {
    let match = SearchMatch(field: .name, in: text, scalarRanges: ranges)
    return match.ranges.map { String(match.text[$0]) }
  }

  @Test("ranges are of whole characters")
  func wholeCharacters() {
    #expect(Self.parts("Green tea", [0..<5, 6..<9]) == ["Green", "tea"])
    #expect(Self.parts("Cafe\u{301} au lait", [0..<4]) == ["Cafe\u{301}"])
    #expect(Self.parts("Cafe\u{301} au lait", [6..<8]) == ["au"])
    #expect(Self.parts("1\u{FE0F}\u{20E3} tea", [0..<1, 4..<7]) == ["1\u{FE0F}\u{20E3}", "tea"])
    #expect(Self.parts("🧑🏽‍🌾 x", [2..<3, 5..<6]) == ["🧑🏽‍🌾", "x"])
    #expect(Self.parts("مُحَمَّد شاي", [0..<1, 2..<3, 9..<12]) == ["مُ", "حَ", "شاي"])
    #expect(Self.parts("a\r\nb", [1..<2, 3..<4]) == ["\r\n", "b"])
  }

  @Test("ranges of one character are one range, and those outside of the text are none")
  func disjoint() {
    #expect(
      Self.parts("e\u{301}\u{302}x", [0..<1, 1..<2, 2..<3, 3..<4]) == ["e\u{301}\u{302}", "x"])
    #expect(Self.parts("ab", [1..<9, 5..<7]) == ["b"])
    #expect(Self.parts("", [0..<1]) == [])
    #expect(Self.parts("ab", []) == [])
    #expect(Self.parts("ab", [1..<1]) == [])
  }

  @Test("a match that an app makes has the ranges that it was given")
  func takesRanges() throws {
    let text = "Cafe\u{301} 🇩🇪 tea"
    let range = try #require(text.range(of: "🇩🇪"))
    let tea = try #require(text.range(of: "tea"))
    let match = SearchMatch(field: .terms, in: text, ranges: [range, tea])
    #expect(match.ranges == [range, tea])
    #expect(match.scalarRanges == [6..<8, 9..<12])
    let other = text + text
    #expect(
      SearchMatch(field: .terms, in: text, ranges: [other.startIndex..<other.endIndex]).ranges
        == [text.startIndex..<text.endIndex])
  }

  private static func offer(_ name: String, categories: [String] = []) -> UserOffer {
    UserOffer(
      Offer(
        ref: OfferRef(feed: "f", offerID: "1"), name: name, categories: categories,
        attributes: [OfferAttribute(label: "Origin", value: "Assam tea")],
        firstSeenAt: Date(timeIntervalSince1970: 0), changedAt: Date(timeIntervalSince1970: 0)))
  }

  @Test("a hit gives the ranges in each of its texts, and none in others")
  func findsRanges() {
    let offer = Self.offer("Green tea", categories: ["Food", "Hot tea"])
    let hit = SearchHit(
      offer: offer,
      matches: [
        SearchMatch(field: .name, in: "Green tea", scalarRanges: [6..<9]),
        SearchMatch(field: .categories, index: 1, in: "Hot tea", scalarRanges: [4..<7]),
        SearchMatch(field: .attributes, index: 0, in: "Assam tea", scalarRanges: [6..<9]),
      ])
    #expect(hit.id == offer.ref)
    #expect(hit.ranges(in: .name).map { offer.name[$0] } == ["tea"])
    #expect(hit.ranges(in: .categories, at: 1).map { offer.categories[1][$0] } == ["tea"])
    #expect(hit.ranges(in: .attributes, at: 0).map { offer.attributes[0].value[$0] } == ["tea"])
    #expect(hit.ranges(in: .categories, at: 0) == [])
    #expect(hit.ranges(in: .description) == [])
  }

  @Test("a match in a text that the offer does not have is left out of the hit")
  func dropsForeignMatches() {
    let offer = Self.offer("Cafe\u{301}", categories: ["Food"])
    let hit = SearchHit(
      offer: offer,
      matches: [
        SearchMatch(field: .name, in: "Caf\u{E9}", scalarRanges: [0..<4]),
        SearchMatch(field: .name, in: "Cafe\u{301} au lait", scalarRanges: [6..<8]),
        SearchMatch(field: .retailer, in: "Shop", scalarRanges: [0..<4]),
        SearchMatch(field: .categories, index: 7, in: "Food", scalarRanges: [0..<4]),
        SearchMatch(field: .categories, in: "Food", scalarRanges: [0..<4]),
      ])
    #expect(hit.matches == [])
  }

  @Test("JSON has offsets in Unicode scalars")
  func writesScalars() {
    let name = "Cafe\u{301} tea"
    let hit = SearchHit(
      offer: Self.offer(name),
      matches: [SearchMatch(field: .name, in: name, scalarRanges: [0..<4, 6..<9])])
    var json = JSONWriter()
    json.value(
      SearchAnswer(
        words: "cafe tea", feed: nil, page: 1, source: .store, results: SearchResults(hits: [hit])),
      at: .now)
    #expect(
      json.text.contains(#""matches":[{"field":"name","index":null,"ranges":[[0,4],[6,9]]}]"#))
  }
}
