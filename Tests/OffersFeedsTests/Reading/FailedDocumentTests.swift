import OffersCore
import Testing

@Suite("Documents with an error message")
struct FailedDocumentTests {
  private static let yaml = """
    items: results
    id: id
    fields: {name: name}
    error: [status_message, "errors[0]", "errors[0].message", error.message, error]
    """

  @Test(
    "the error message of a document without items is thrown",
    arguments: [
      (
        #"{"status_code":7,"status_message":"Invalid API key.","success":false}"#,
        "Invalid API key."
      ),
      (
        #"{"errors":["page must be less than 500","x"],"success":false}"#,
        "page must be less than 500"
      ),
      (#"{"errors":[{"message":"Too many requests"}]}"#, "Too many requests"),
      (#"{"error":{"code":403,"message":"Forbidden \u2603"}}"#, "Forbidden ☃"),
      (#"{"error":"busy"}"#, "busy"), (#"{"results":[],"error":"busy"}"#, "busy"),
      (#"{"error":"busy","results":null}"#, "busy"), (#"{"error":"a","error":"b"}"#, "b"),
    ])
  func fails(document: String, message: String) throws {
    let error = try #require(try YAMLReading(Self.yaml, document).error)
    #expect(error.code == .sourceFailed)
    #expect(error.message == "The feed says: \(message)")
  }

  @Test(
    "an empty message, or one of success, is not an error",
    arguments: [
      "null", "false", "\"\"", "\" \"", "{}", "[]", "{\"message\":null}", "{\"message\":\"\"}",
      "true",
    ])
  func noMessage(value: String) throws {
    #expect(try YAMLReading(Self.yaml, "{\"error\":\(value),\"results\":[]}").isClean)
    let shape = try YAMLReading(Self.yaml, "{\"error\":\(value)}")
    #expect(shape.error?.code == .unexpectedShape)
  }

  @Test("a document with items is read despite a message")
  func withItems() throws {
    for items in [#"[{"id":1,"name":"A"}]"#, #"[{"id":1}]"#] {
      let reading = try YAMLReading(Self.yaml, "{\"error\":\"partial\",\"results\":\(items)}")
      #expect(reading.error == nil)
      #expect(reading.itemCount == 1)
      #expect(reading.facts.error == "partial")
    }
  }

  @Test("a document that is cut off is reported as such first")
  func cutOff() throws {
    #expect(try YAMLReading(Self.yaml, #"{"error":"busy""#).error?.code == .malformedFeed)
  }

  @Test("an object in place of JSON lines can have an error message")
  func rootItems() throws {
    let reading = try YAMLReading(
      "id: id\nfields: {name: name}\nerror: message", #"{"message":"Not found"}"#)
    #expect(reading.error?.message == "The feed says: Not found")
    #expect(reading.error?.code == .sourceFailed)
  }

  @Test("an error message of XML can be an element or an attribute")
  func elements() throws {
    let yaml = """
      items: response.offer
      id: "@id"
      fields: {name: .}
      error: [response.error.@text, response.error]
      """
    for (document, message) in [
      ("<response><error text='Bad key'>x</error></response>", "Bad key"),
      ("<response><error> No such <b>shop</b> &amp; key </error></response>", "No such shop & key"),
    ] {
      let error = try YAMLReading(yaml, document).error
      #expect(error?.code == .sourceFailed)
      #expect(error?.message == "The feed says: \(message)")
    }
    #expect(try YAMLReading(yaml, "<response><error/></response>").isClean)
    #expect(
      try YAMLReading(yaml, "<response><error>e</error><offer id='1'>A</offer></response>").isClean)
  }
}
