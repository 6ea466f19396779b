import OffersCore
import Testing

@testable import OffersFeeds

@Suite("The next page of an unknown document")
struct PagesGuessTests {
  private static let items = #"[{"id":1,"title":"A"},{"id":2,"title":"B"}]"#

  static let documents: [(around: String, path: String)] = [
    (#""value":ITEMS,"@odata.nextLink":"https://e.example/?$skip=2""#, #""@odata.nextLink""#),
    (
      #""links":{"self":"https://e.example/","next":"https://e.example/2"},"data":ITEMS"#,
      "links.next"
    ),
    (#""links":{"next":{"href":"/2"}},"data":ITEMS"#, "links.next.href"),
    (#""_links":{"next":{"href":"?page=2"}},"items":ITEMS"#, "_links.next.href"),
    (
      #""links":[{"rel":"self","href":"/1"},{"rel":"next","href":"/2"}],"items":ITEMS"#,
      "links[rel=next].href"
    ),
    (#""count":2,"next":null,"previous":null,"results":ITEMS"#, "next"),
    (#""next_page_url":"https://e.example/2","data":ITEMS"#, "next_page_url"),
    (#""paging":{"next":"https://e.example/2"},"data":ITEMS"#, "paging.next"),
    (#""meta":{"next":null},"response":{"next":"/2","items":ITEMS}"#, "response.next"),
    (#""d":{"results":ITEMS,"__next":"https://e.example/2"}"#, "d.__next"),
  ]

  @Test(
    "the member with the next page's address is proposed, even if it is null", arguments: documents)
  func proposes(around: String, path: String) throws {
    let document = "{\(around)}".replacing("ITEMS", with: Self.items)
    let guess = try GuessReading(document)
    #expect(guess.definition.pages?.next == .path(FieldPath(isFromDocument: true, path)))
    #expect(guess.definition.pages?.total == nil)
    #expect(!guess.proposal.notes.contains { $0.contains("more pages") })
    #expect(try DefinitionFile.parse(guess.yaml, name: "f") == [guess.definition])
  }

  @Test(
    "cursors, counts and members of items are not proposed",
    arguments: [
      #""next":"t3_b","items":ITEMS"#, #""total_pages":7,"page":1,"items":ITEMS"#,
      #""nextCursor":"abc","items":ITEMS"#, #""next":true,"items":ITEMS"#,
      #""other":{"next":"/2"},"items":ITEMS"#, #""next":{"page":2},"items":ITEMS"#,
      #""items":[{"id":1,"title":"A","next":"/2"},{"id":2,"title":"B","next":"/3"}]"#,
    ])
  func proposesNothing(around: String) throws {
    let document = "{\(around)}".replacing("ITEMS", with: Self.items)
    #expect(try GuessReading(document).definition.pages == nil)
  }
}

extension FieldPath {
  fileprivate init(isFromDocument: Bool, _ text: String) {
    let parsed = try? FieldPath(parsing: text)
    self.init(isFromDocument: isFromDocument, parsed?.steps ?? [])
  }
}
