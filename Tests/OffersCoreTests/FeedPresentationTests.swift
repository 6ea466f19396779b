import Foundation
import OffersCore
import Testing

@Suite("How the offers of a feed are shown")
struct FeedPresentationTests {
  @Test(
    "a noun has its regular plural, or the one that is given",
    arguments: [
      ("album", "albums"), ("box", "boxes"), ("match", "matches"), ("story", "stories"),
      ("day", "days"),
    ])
  func plurals(singular: String, plural: String) {
    #expect(OfferNoun(singular).plural == plural)
    #expect(OfferNoun("goose", plural: "geese").plural == "geese")
  }

  @Test("a count has the noun of the feed, or that which all feeds share")
  func counts() {
    func known(_ name: String, _ noun: String) -> KnownFeed {
      KnownFeed(
        name: name, source: nil, everySeconds: 60,
        presentation: FeedPresentation(noun: OfferNoun(noun)), isSearchable: false)
    }
    let feeds = FeedPresentations([known("a", "album"), known("b", "album"), known("c", "story")])
    #expect(Units.count(1200, feeds.noun(of: ["a", "b"])) == "1,200 albums")
    #expect(Units.count(1, feeds["c"].noun) == "1 story")
    #expect(Units.count(2, feeds.noun(of: ["a", "c"])) == "2 offers")
    #expect(Units.count(2, feeds["unknown"].noun) == "2 offers")
    #expect(Units.count(0, feeds.noun(of: [])) == "0 offers")
  }

  @Test("a user's own definition takes precedence over what is stored, and that over a shipped one")
  func precedence() {
    let film = FeedPresentation(noun: OfferNoun("film"), valueRole: .price)
    func known(_ name: String, _ position: Int?) -> KnownFeed {
      var known = KnownFeed(name: name, source: nil, everySeconds: 60, isSearchable: false)
      known.position = position
      return known
    }
    let feeds = FeedPresentations(
      [known("a", 0), known("b", nil), known("c", nil)], stored: ["a": film, "b": film])
    #expect(feeds["c"] == FeedPresentation())
    #expect(feeds["a"] == FeedPresentation())
    #expect(feeds["b"] == film)
    #expect(feeds.pricedFeeds == ["b"])
  }

  @Test("what is stored is read again; unknown parts are as without a definition")
  func isStored() {
    let whole = FeedPresentation(
      layout: .covers, noun: OfferNoun("goose", plural: "geese"), valueRole: .price,
      byline: ["\"A\"\n", "ß"])
    #expect(FeedPresentation(storedText: whole.storedText) == whole)
    #expect(FeedPresentation(storedText: nil) == nil)
    #expect(FeedPresentation(storedText: "{") == nil)
    #expect(FeedPresentation(storedText: "{}") == FeedPresentation())
    let newer =
      #"{"layout":"wall","noun":"a\u001b[31m","nouns":"b","value_role":"gift","size":1,"#
      + #""byline":["a","b","c","d"]}"#
    #expect(FeedPresentation(storedText: newer) == FeedPresentation(byline: ["a", "b", "c"]))
  }

  @Test("a byline joins the values that the offer has, and shows a time in the local time zone")
  func bylines() {
    func byline(_ attributes: [OfferAttribute]) -> String? {
      let offer = Offer(
        ref: OfferRef(feed: "a", offerID: "1"), name: "A", attributes: attributes,
        firstSeenAt: .now, changedAt: .now)
      return FeedPresentation(byline: ["Artist", "Released"]).byline(of: offer)
    }
    let artist = OfferAttribute(label: "Artist", value: "Hollis")
    #expect(byline([]) == nil)
    #expect(byline([artist]) == "Hollis")
    #expect(
      byline([OfferAttribute(label: "Released", value: "2026-01-02"), artist])
        == "Hollis · 2026-01-02")
    let time = OfferAttribute(label: "Released", value: "2026-01-02T03:04:05Z")
    #expect(byline([time]) == Units.time(Date(timeIntervalSince1970: 1_767_323_045)))
  }
}
