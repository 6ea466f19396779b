import Foundation
import OffersCore
import OffersFeeds
import OffersHTTP
import OffersSQLite
import OffersStore
import OffersSync
import OffersTestSupport
import TestStores
import Testing

@Suite("Searches on a feed's server")
struct ServerSearchResultsTests {
  private let folder: TemporaryFolder
  private let database: OffersDatabase

  init() async throws {
    folder = try TemporaryFolder()
    database = try await OffersDatabase.openNew(in: folder)
  }

  private static func page(_ ids: [Int], of count: Int? = nil, next: String? = nil) -> String {
    let items = ids.map { #"{"id":\#($0),"title":"Film \#($0)"}"# }.joined(separator: ",")
    let rest =
      (count.map { #","total_pages":\#($0)"# } ?? "") + (next.map { #","next":"\#($0)""# } ?? "")
    return #"{"results":[\#(items)]\#(rest)}"#
  }

  private static func answer(_ ids: [Int], of count: Int? = nil, next: String? = nil)
    -> ScriptedServer.Step
  {
    .answer("200 OK", [], page(ids, of: count, next: next))
  }

  private func engine(
    _ server: ScriptedServer, search: String = "/find?q={query}&p={page}",
    pages: String = "{total: total_pages, limit: 3}"
  ) throws -> SyncEngine {
    let yaml = """
      feeds:
        films:
          source: \(server.url("/all"))
          search: \(server.url(search))
          items: results
          id: id
          fields: {name: title}
          pages: \(pages)
      """
    return SyncEngine(
      store: database, configuration: try FeedConfiguration(yaml: yaml, name: "feeds.yaml"),
      environment: { _ in nil })
  }

  private static func ids(_ search: ServerSearchResults) -> [String] {
    search.offers.map(\.offerID)
  }

  private static func paths(_ server: ScriptedServer) -> [String] {
    server.requests.map { String($0.split(separator: " ")[1]) }
  }

  @Test("one page is requested by its number and keeps the server's order")
  func asksForOnePage() async throws {
    let server = try ScriptedServer([
      Self.answer([5, 3, 9, 5], of: 8), Self.answer([3, 7], of: 8), Self.answer([], of: 8),
    ])
    let engine = try engine(server)
    let first = try await engine.search("films", for: "C++ & más")
    #expect(Self.ids(first) == ["5", "3", "9"] && first.hasMore && first.pageCount == 8)
    let eighth = try await engine.search("films", for: "x", page: 8)
    #expect(Self.ids(eighth) == ["3", "7"] && !eighth.hasMore)
    let ninth = try await engine.search("films", for: "x", page: 9)
    #expect(Self.ids(ninth) == [] && !ninth.hasMore && ninth.run.error == nil)
    #expect(
      Self.paths(server) == [
        "/find?q=C%2B%2B%20%26%20m%C3%A1s&p=1", "/find?q=x&p=8", "/find?q=x&p=9",
      ])
    // Offers of an earlier search are found again, but are no offers of the feed.
    let hits = try await database.search(SearchQuery("film")).hits
    #expect(Set(hits.map(\.offer.name)) == ["Film 5", "Film 3", "Film 9", "Film 7"])
    #expect(try await database.fetchOffers(OfferQuery()).isEmpty)
  }

  @Test("a search of all pages obeys the definition's limit and lists an offer on two pages once")
  func asksForAll() async throws {
    let server = try ScriptedServer([
      Self.answer([1, 2], of: 5), Self.answer([2, 3], of: 5), Self.answer([4], of: 5),
    ])
    let search = try await engine(server).search("films", for: "x", page: nil)
    #expect(Self.ids(search) == ["1", "2", "3", "4"])
    #expect(search.lastPage == 3 && search.hasMore && search.run.counts.new == 4)
  }

  @Test("a page of a number of offers is a part of the server's pages, or several of them")
  func asksForSome() async throws {
    let pages = [
      1: Self.answer([1, 2, 3], of: 4), 2: Self.answer([4, 5, 6], of: 4),
      3: Self.answer([7, 8, 9], of: 4), 4: Self.answer([10], of: 4),
    ]
    let wanted: [(limit: Int, page: Int, ids: [Int], asked: [Int], hasMore: Bool)] = [
      (2, 1, [1, 2], [1], true), (2, 2, [3, 4], [1, 2], true), (2, 5, [9, 10], [1, 3, 4], false),
      (2, 6, [], [1, 4], false), (3, 1, [1, 2, 3], [1], true),
      (5, 2, [6, 7, 8, 9, 10], [1, 2, 3, 4], false),
      // The definition allows three pages for one search.
      (100, 1, [1, 2, 3, 4, 5, 6, 7, 8, 9], [1, 2, 3], true), (100, 2, [10], [1, 4], false),
    ]
    for each in wanted {
      let server = try ScriptedServer(each.asked.compactMap { pages[$0] })
      let found = try await engine(server).search(
        "films", for: "x", page: each.page, limit: each.limit)
      #expect(Self.ids(found) == each.ids.map(String.init), "\(each)")
      #expect(found.hasMore == each.hasMore && found.lastPage == each.page, "\(each)")
      #expect(Self.paths(server) == each.asked.map { "/find?q=x&p=\($0)" }, "\(each)")
    }
  }

  @Test(
    "a page of a number of offers begins at the first of the pages that are linked to each other")
  func followsAddressesForSome() async throws {
    let pages = [Self.answer([1, 2], next: "/2"), Self.answer([3, 4], next: "/3")]
    let server = try ScriptedServer(Array(repeating: pages[0], count: 2) + pages)
    let engine = try engine(server, search: "/find?q={query}", pages: "{next: next}")
    let found = try await engine.search("films", for: "x", page: 2, limit: 1)
    #expect(Self.ids(found) == ["2"])
    let next = try await engine.search("films", for: "x", page: 3, limit: 1)
    #expect(Self.ids(next) == ["3"])
  }

  @Test("pages that are linked to each other are read up to the requested one")
  func followsAddresses() async throws {
    let pages = [
      Self.answer([1], next: "/2"), Self.answer([2], next: "/3"), Self.answer([3]),
    ]
    let server = try ScriptedServer(Array(pages.prefix(2)) + pages)
    let engine = try engine(server, search: "/find?q={query}", pages: "{next: next}")
    #expect(try await Self.ids(engine.search("films", for: "x", page: 2)) == ["2"])
    #expect(try await Self.ids(engine.search("films", for: "x", page: 5)) == [])
    #expect(server.requests.count == 5)
  }

  @Test("a search does not subscribe to the feed and removes none of its offers")
  func keepsTheFeed() async throws {
    let server = try ScriptedServer([
      Self.answer([7]), .answer("200 OK", [], Self.page([1, 2], of: 1)), Self.answer([2, 8]),
    ])
    let engine = try engine(server)
    _ = try await engine.search("films", for: "x")
    #expect(try await database.fetchFeeds().map(\.name) == ["ibotta"])
    #expect(try await database.search(SearchQuery("film 7", feed: "films")).hits.count == 1)
    #expect(try await engine.run("films").error == nil)
    #expect(try await database.fetchFeeds().map(\.name) == ["films"])
    #expect(try await Self.ids(engine.search("films", for: "y")) == ["2", "8"])
    let offers = try await database.fetchOffers(OfferQuery(feed: "films"))
    #expect(offers.map(\.ref.offerID) == ["1", "2"])
    let changes = try await database.fetchChanges(ChangeQuery(now: Date())).changes
    #expect(changes.map(\.kind) == [.first] && changes.first?.offerCount == 2)
  }

  @Test("a failing server is an error, and so is a feed without search before any request")
  func fails() async throws {
    let server = try ScriptedServer([
      .answer("500 Internal Server Error", [], ""), .answer("200 OK", [], "<html>"),
    ])
    let engine = try engine(server)
    for code in [OffersError.Code.sourceFailed, .malformedFeed] {
      let error = await #expect(throws: OffersError.self) {
        try await engine.search("films", for: "x")
      }
      #expect(error?.code == code)
    }
    await #expect(throws: OffersError.self) { try await engine.search("films", for: "x", page: 0) }
    let shipped = SyncEngine(store: database)
    let error = await #expect(throws: OffersError.self) {
      try await shipped.search("albums", for: "x")
    }
    #expect(error?.code == .invalidRequest)
  }
}
