import OffersCore
import Testing

@Suite("Links and images in a record")
struct LinkReadingTests {
  private static let yaml = """
    id: id
    fields:
      name: {text: N}
      image: image
      link: [link, other]
    attributes:
      Page: {from: page, as: link}
    """

  @Test("a single word is not a URL, and is reported", arguments: ["self", "default", "NSFW"])
  func leavesWordsOut(word: String) throws {
    let reading = try YAMLReading(Self.yaml, #"[{"id":1,"image":"\#(word)","page":"self"}]"#)
    #expect(reading.all(.imageURL) == [nil])
    #expect(reading.mends == ["1: image_url is not a URL: “\(word)”, left out"])
    #expect(reading.attributes == [["Page: self"]])
  }

  @Test("the next alternative applies if the first one is a single word")
  func passesWordsOver() throws {
    let reading = try YAMLReading(
      Self.yaml, #"[{"id":1,"link":"self","other":"https://e.example/1"}]"#)
    #expect(reading.isClean)
    #expect(reading.all(.url) == ["https://e.example/1"])
  }

  @Test(
    "a link without a scheme is https if the document has no URL",
    arguments: [
      ("//cdn.example/a.png", nil, "https://cdn.example/a.png"),
      ("//cdn.example/a.png", "http://e.example/f", "http://cdn.example/a.png"),
      ("https://e.example/a?b=1&amp;c=2&d", nil, "https://e.example/a?b=1&c=2&d"),
      ("/a.png", nil, "/a.png"), ("a.png", nil, "a.png"), ("//", nil, "//"),
      ("///x", nil, "///x"),
    ] as [(String, String?, String)])
  func addsTheScheme(link: String, address: String?, expected: String) throws {
    let reading = try YAMLReading(
      Self.yaml, #"[{"id":1,"image":"\#(link)"}]"#, address: address)
    #expect(reading.isClean)
    #expect(reading.all(.imageURL) == [expected])
  }
}
