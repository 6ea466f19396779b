import OffersCore
import OffersFeeds
import Testing

@Suite("Valid documents that are not offers feeds")
struct DocumentShapeTests {
  @Test("an object in place of the list is refused, and its keys are listed")
  func namesTheKeysSeen() throws {
    let error = try #require(
      try FeedReading(#"{"status_code":7,"offers":[{"id":"1","name":"A"}],"\u0073uccess":false}"#)
        .error)
    #expect(error.code == .unexpectedShape)
    #expect(
      error.message == "Expected a list of offers at the top level, found an object, "
        + "with the keys status_code, offers, success.")
    #expect(error.hint != nil)
  }

  @Test("at most eight keys are listed, and long ones are truncated")
  func boundsTheMessage() throws {
    let keys = (1...40).map { "\"k\($0)\(String(repeating: "x", count: 500))\":1" }
    let error = try #require(try FeedReading("{\(keys.joined(separator: ","))}").error)
    #expect(error.code == .unexpectedShape)
    #expect(error.message.contains("k8x"))
    #expect(!error.message.contains("k9x"))
    #expect(error.message.utf8.count < 500)
  }

  @Test(
    "a scalar in place of the list is refused with its type",
    arguments: [
      (#""offers""#, "a text"), ("7", "a number"), ("-1.5e3", "a number"), ("null", "null"),
      ("true", "true or false"), ("false", "true or false"), ("{}", "an object"),
    ])
  func namesTheKind(document: String, kind: String) throws {
    for sizes in [[], [1]] {
      let error = try #require(try FeedReading(document, pieceSizes: sizes).error)
      #expect(error.code == .unexpectedShape)
      #expect(
        error.message == "Expected a list of offers at the top level, found \(kind).")
    }
  }

  @Test("a missing list and a value of another type have different messages")
  func namesWhatStandsOnThePath() throws {
    func message(_ document: String) throws -> String? {
      try FeedReading(document, as: .below("feed", "results")).error?.message
    }
    #expect(
      try message(#"{"feed":{"results":"none"}}"#)
        == "Expected a list of offers at feed.results, found a text, with the keys feed.")
    #expect(
      try message(#"{"feed":{}}"#)
        == "Expected a list of offers at feed.results, found none, with the keys feed.")
    #expect(
      try message("[]")
        == "Expected a list of offers at feed.results; the document is a list itself.")
  }
}
