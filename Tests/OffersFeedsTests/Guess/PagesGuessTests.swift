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
    #expect(try DefinitionFile.parse(guess.yaml, name: "f") == [guess.definition])
  }

  @Test(
    "cursors, counts and members of items are no addresses",
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

  typealias Lead = (query: String, around: String, source: String, pages: String)

  static let leadCases: [Lead] = [
    ("", #""items":ITEMS,"nextPageToken":"CAU""#, "?pageToken={next}", "{next: nextPageToken}"),
    (
      "?limit=2", #""items":ITEMS,"has_more":true,"next_cursor":"c2""#, "?limit=2&cursor={next}",
      "{next: next_cursor, more: has_more}"
    ),
    (
      "?first=2", #""data":{"offers":ITEMS,"pageInfo":{"hasNextPage":true,"endCursor":"Mg"}}"#,
      "?first=2&after={next}",
      "{next: data.pageInfo.endCursor, more: data.pageInfo.hasNextPage}"
    ),
    (
      "", #""object":"list","has_more":true,"data":ITEMS"#, "?starting_after={next}",
      "{next: last-id, more: has_more}"
    ),
    (
      "?limit=2&offset=0", #""total":5,"items":ITEMS"#, "?limit=2&offset={offset}",
      "{count: total}"
    ),
    ("", #""total":5,"skip":0,"limit":2,"products":ITEMS"#, "?skip={offset}", "{count: total}"),
    (
      "", #""page":1,"total_pages":3,"results":ITEMS"#, "?page={page}", "{total: total_pages}"
    ),
    (
      "", #""content":ITEMS,"totalPages":3,"number":0,"totalElements":5"#, "?page={page}",
      "{total: totalPages, count: totalElements, first: 0}"
    ),
    ("?page=1", #""items":ITEMS"#, "?page={page}", ""),
    (
      "", #""hydra:member":ITEMS,"hydra:view":{"hydra:next":"/?page=2"},"hydra:totalItems":5"#, "",
      "{next: 'hydra:view.hydra:next'}"
    ),
  ]

  @Test(
    "what a document states, and the usual parameters, lead to the further pages",
    arguments: leadCases)
  func followsLeads(_ lead: Lead) throws {
    let address = "https://e.example/offers"
    let guess = DefinitionGuess(name: "f")
    let document = "{\(lead.around)}".replacing("ITEMS", with: Self.items)
    try Array(document.utf8).withUnsafeBytes { try guess.consume($0) }
    var proposal = try guess.finish(from: PagesGuess.Origin(source: address + lead.query))
    proposal.definition.source = try Template(parsing: address + lead.query, for: .source)
    let made = try #require(proposal.pages.candidates.first?.applied(to: proposal.definition))
    #expect(made.source?.description == address + lead.source)
    let pages = DefinitionText.yaml(for: made).split(separator: "\n").first {
      $0.contains("pages:")
    }
    #expect(pages.map { "\($0)" } == (lead.pages.isEmpty ? nil : "    pages: \(lead.pages)"))
    #expect(try DefinitionFile.parse(DefinitionText.yaml(for: made), name: "f") == [made])
  }

  private static func proposal(
    _ document: String, _ source: String = "https://e.example/"
  ) throws -> DefinitionGuess.Proposal {
    let guess = DefinitionGuess(name: "f")
    try Array(document.utf8).withUnsafeBytes { try guess.consume($0) }
    var proposal = try guess.finish(from: PagesGuess.Origin(source: source))
    proposal.definition.source = Template([.literal(source)])
    return proposal
  }

  @Test("a number within an object may be that of a parameter in brackets")
  func triesBrackets() throws {
    let document =
      #"{"data":ITEMS,"meta":{"pagination":{"page":1,"pageSize":2,"pageCount":3,"total":5}}}"#
    let proposal = try Self.proposal(document.replacing("ITEMS", with: Self.items))
    let sources = proposal.pages.candidates.map {
      $0.applied(to: proposal.definition)?.source?.description
    }
    #expect(
      sources == [
        "https://e.example/?page={page}", "https://e.example/?pagination%5Bpage%5D={page}",
      ])
  }

  @Test(
    "news that link to a next page are followed, and are no window",
    arguments: [
      (
        """
        <feed xmlns="http://www.w3.org/2005/Atom"><link rel="self" href="/1"/>NEXT
        <entry><id>1</id><title>A</title></entry><entry><id>2</id><title>B</title></entry></feed>
        """, #"<link rel="next" href="/2"/>"#, "feed.link[@rel=next].@href"
      ),
      (
        """
        <rss version="2.0" xmlns:atom="http://www.w3.org/2005/Atom"><channel>NEXT
        <item><guid>1</guid><title>A</title></item><item><guid>2</guid><title>B</title></item>
        </channel></rss>
        """, #"<atom:link rel="next" href="/2"/>"#, "rss.channel.atom:link[@rel=next].@href"
      ),
    ])
  func followsNews(document: String, link: String, path: String) throws {
    let paged = try Self.proposal(document.replacing("NEXT", with: link)).definition
    #expect(
      paged.pages == PageRule(next: .path(FieldPath(isFromDocument: true, path))) && !paged.isWindow
    )
    #expect(try DefinitionFile.parse(DefinitionText.yaml(for: paged), name: "f") == [paged])
    let whole = try Self.proposal(document.replacing("NEXT", with: "")).definition
    #expect(whole.pages == nil && whole.isWindow)
  }

  @Test("header fields and the address of a shop lead to the further pages")
  func leadsByHeaders() throws {
    func first(_ document: String, _ origin: PagesGuess.Origin) throws -> FeedDefinition? {
      let guess = DefinitionGuess(name: "f")
      try Array(document.utf8).withUnsafeBytes { try guess.consume($0) }
      var proposal = try guess.finish(from: origin)
      proposal.definition.source = Template([.literal(origin.source)])
      return proposal.pages.candidates.first?.applied(to: proposal.definition)
    }
    let posts = try first(
      Self.items,
      PagesGuess.Origin(
        source: "https://e.example/wp-json/wp/v2/posts", fields: ["x-wp-totalpages": "3"],
        hasNextLink: true))
    #expect(posts?.source?.description.hasSuffix("/posts?per_page=100&page={page}") == true)
    #expect(posts?.pages == PageRule(total: .header("x-wp-totalpages")))
    let linked = try first(
      Self.items, PagesGuess.Origin(source: "https://e.example/", hasNextLink: true))
    #expect(linked?.pages == PageRule(next: .linkHeader))
    let shop = try first(
      #"{"products":[{"id":1,"title":"Tea","handle":"tea","variants":[{"price":"4.90"}]}]}"#,
      PagesGuess.Origin(source: "https://e.example/products.json"))
    #expect(
      shop?.source?.description == "https://e.example/products.json?limit=250&page={page}")
    #expect(shop?.pages == nil)
  }
}

extension FieldPath {
  fileprivate init(isFromDocument: Bool, _ text: String) {
    let parsed = try? FieldPath(parsing: text)
    self.init(isFromDocument: isFromDocument, parsed?.steps ?? [])
  }
}
