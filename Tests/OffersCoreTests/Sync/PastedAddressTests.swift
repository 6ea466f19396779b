import OffersCore
import Testing

@Suite("Pasted addresses")
struct PastedAddressTests {
  @Test(
    "are read without what surrounds them",
    arguments: [
      ("HTTP://a.example/x", ["http://a.example/x"]),
      (" https://a.example/x#new \n", ["https://a.example/x"]),
      ("<https://a.example/x>", ["https://a.example/x"]),
      ("“https://a.example/x”", ["https://a.example/x"]),
      ("https://a.example/lo\nng", ["https://a.example/long"]),
      ("feed:https://a.example/x", ["https://a.example/x"]),
      ("FEED://a.example/x", ["https://a.example/x", "http://a.example/x"]),
      ("feed://https://a.example/x", ["https://a.example/x"]),
      ("http:/a.example", ["http://a.example"]), ("https//a.example", ["https://a.example"]),
      ("https://http://a.example", ["http://a.example"]),
      ("a.example", ["https://a.example", "http://a.example"]),
      ("//a.example/x", ["https://a.example/x", "http://a.example/x"]),
      ("localhost:8080/x", ["http://localhost:8080/x", "https://localhost:8080/x"]),
      ("192.0.2.1/x", ["http://192.0.2.1/x", "https://192.0.2.1/x"]),
      ("file:///a%20b.xml", ["/a b.xml"]), ("file://localhost/a.xml", ["/a.xml"]),
      ("feed:127.0.0.1:8080/x", ["http://127.0.0.1:8080/x", "https://127.0.0.1:8080/x"]),
      ("feed:8080/x", ["http://feed:8080/x", "https://feed:8080/x"]),
      ("Feed: http://a.example/x", ["http://a.example/x"]),
      ("[Deals](https://a.example/x)", ["https://a.example/x"]),
      ("./a.xml", ["./a.xml"]), ("-", ["-"]), ("sample", ["sample"]),
    ])
  func sources(text: String, expected: [String]) throws {
    #expect(try PastedAddress(text, isFile: { _ in false }).sources == expected)
  }

  @Test("are files first, where there is such a file")
  func files() throws {
    #expect(try PastedAddress("a.example", isFile: { $0 == "a.example" }).sources == ["a.example"])
    #expect(try PastedAddress(" a b", isFile: { $0 == " a b" }).sources == [" a b"])
  }

  @Test(
    "that cannot be read are refused by the part that is wrong",
    arguments: [
      ("deals.json", "There is no file deals.json"), ("mailto:a@b.example", "“mailto:”"),
      ("file://server/a.xml", "“server”"),
      ("https://a.example\nhttps://b.example", "several addresses"),
      ("https://a.example https://b.example", "several addresses"),
    ])
  func refusals(text: String, words: String) {
    let error = #expect(throws: OffersError.self) {
      try PastedAddress(text, isFile: { _ in false })
    }
    #expect(error?.message.contains(words) == true)
    #expect(error?.hint != nil)
  }
}
