import OffersCore
import OffersFeeds
import Testing

@Suite("The path of the list of offers")
struct ItemsPathTests {
  private static let wanted = #"[{"id":"1","name":"A"},{"id":"2","name":"B"}]"#
  private static let decoy = #"[{"id":"decoy","name":"X"}]"#

  /// Documents with the list at `feed.results`, and similar lists elsewhere.
  static let documents = [
    #"{"feed":{"results":WANTED}}"#,
    #"{"results":DECOY,"feed":{"results":WANTED},"other":{"results":DECOY}}"#,
    #"{"feed":{"feed":{"results":DECOY},"results":WANTED,"more":{"results":DECOY}}}"#,
    #"{"x":{"feed":{"results":DECOY}},"feed":{"a":DECOY,"results":WANTED}}"#,
    #"{"x":[{"feed":{"results":DECOY}}],"feed":{"results":WANTED}}"#,
    #"{"feed":{"x":[{"results":DECOY}],"results":WANTED}}"#,
    #"{"feedresults":DECOY,"feed.results":DECOY,"feed":{"results":WANTED}}"#,
    #"{"feed":{"result":DECOY,"resultss":DECOY,"Results":DECOY,"results":WANTED}}"#,
    #"{"f\u0065ed":{"\u0072esults":WANTED}}"#,
    #"{"f\\u0065ed":{"results":DECOY},"feed":{"r\\u0065sults":DECOY,"results":WANTED}}"#,
    #"{"":DECOY,"feed":{"":DECOY,"results":WANTED}}"#,
    #"{"feed":7,"feed":{"results":WANTED}}"#,
    #"{"feed":{"results":null,"x":[[]],"results":WANTED}}"#,
    #"{ "feed" : { "n" : [ [ { } ] ] , "results" : WANTED , "m" : 1.5 } , "z" : [ ] }"#,
  ]

  @Test("the list at the path is found, and no other list", arguments: documents)
  func findsNestedList(template: String) throws {
    let document = template.replacing("WANTED", with: Self.wanted)
      .replacing("DECOY", with: Self.decoy)
    let definition = FeedDefinition.below("feed", "results")
    let whole = try FeedReading(document, as: definition)
    #expect(whole.error == nil)
    #expect(whole.ids == ["1", "2"])
    for size in [1, 2, 7] {
      #expect(try FeedReading(document, as: definition, pieceSizes: [size]) == whole)
    }
  }

  @Test("the keys of a path are compared with decoded keys")
  func comparesDecodedKeys() throws {
    let definition = FeedDefinition.below(#"a"b\c"#)
    let document = #"{"a\"b\\c":WANTED}"#.replacing("WANTED", with: Self.wanted)
    #expect(try FeedReading(document, as: definition).ids == ["1", "2"])
    #expect(try FeedReading(document, as: definition, pieceSizes: [1]).ids == ["1", "2"])
  }

  @Test(
    "a value of another type in place of the list has an unexpected shape",
    arguments: [
      #"{"results":DECOY}"#, #"[{"feed":{"results":DECOY}}]"#, "DECOY", "{}",
      #"{"feed":{}}"#, #"{"feed":DECOY}"#, #"{"feed":[{"results":DECOY}]}"#,
      #"{"feed":{"results":{"0":DECOY}}}"#, #"{"feed":{"results":null}}"#,
      #"{"feed":null,"results":DECOY}"#, #"{"results":{"feed":DECOY}}"#,
    ])
  func refusesOtherPlaces(template: String) throws {
    let document = template.replacing("DECOY", with: Self.decoy)
    for sizes in [[], [1]] {
      let reading = try FeedReading(
        document, as: .below("feed", "results"), pieceSizes: sizes)
      #expect(reading.error?.code == .unexpectedShape)
      #expect(reading.error?.message.contains("feed.results") == true)
      #expect(reading.offers.isEmpty)
    }
  }

  @Test("the document is validated after the list as well")
  func checksTheRest() throws {
    for rest in ["", "}", "}}}", ",}}", #","x":01}}"#, #","x":"#, "]}"] {
      let document = #"{"feed":{"results":[]"# + rest
      let reading = try FeedReading(document, as: .below("feed", "results"))
      #expect(reading.error?.code == .malformedFeed, "rest: \(rest)")
    }
  }
}
