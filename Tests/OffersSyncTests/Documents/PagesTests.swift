import Foundation
import OffersCore
import OffersFeeds
import OffersSync
import OffersTestSupport
import Synchronization
import Testing

/// A shop whose offers change while its pages of ten are read.
private final class PagedShop: Sendable {
  /// How a page states the others.
  enum Style { case numbers, offset, cursor, lastID }

  struct State {
    var ids: [Int]
    /// Changes the offers before the answer to the request of this number, counted from 1.
    var change: (request: Int, body: @Sendable (inout [Int]) -> Void)?
    var requestCount = 0
  }

  let state: Mutex<State>
  let style: Style

  init(_ ids: [Int], _ style: Style) {
    state = Mutex(State(ids: ids))
    self.style = style
  }

  func change(at request: Int = 1, _ body: @escaping @Sendable (inout [Int]) -> Void) {
    state.withLock {
      $0.requestCount = 0
      $0.change = (request, body)
    }
  }

  func answer(_ request: TransportRequest) -> SimulatedAnswer {
    let ids = state.withLock {
      $0.requestCount += 1
      if let change = $0.change, change.request == $0.requestCount { change.body(&$0.ids) }
      return $0.ids
    }
    let items = URLComponents(url: request.url, resolvingAgainstBaseURL: false)?.queryItems ?? []
    let at = items.first { $0.name != "n" }?.value.flatMap { Int($0) }
    let start =
      switch style {
      case .numbers: ((at ?? 1) - 1) * 10
      case .offset, .cursor: at ?? 0
      case .lastID: at.flatMap { ids.firstIndex(of: $0) }.map { $0 + 1 } ?? 0
      }
    let page = ids.dropFirst(start).prefix(10)
    let next = start + 10 < ids.count ? "\(start + 10)" : "null"
    let rest =
      switch style {
      case .numbers: ""
      case .offset: #","total":\#(ids.count)"#
      case .cursor: #","cursor":\#(next)"#
      case .lastID: #","has_more":\#(next != "null")"#
      }
    let list = page.map { #"{"id":\#($0),"name":"Tea \#($0)"}"# }.joined(separator: ",")
    return SimulatedAnswer(200, [("ETag", "\"1\"")], #"{"items":[\#(list)]\#(rest)}"#)
  }
}

@Suite("The pages of a feed")
struct PagesTests {
  private static func yaml(_ query: String, _ pages: String = "") -> String {
    """
    feeds:
      shop:
        source: https://feed.example/shop\(query)
        items: items
        id: id
        fields: {name: name}
    \(pages.isEmpty ? "" : "    pages: \(pages)")
    """
  }

  private static let styles: [(PagedShop.Style, query: String, pages: String)] = [
    (.numbers, "?page={page}", ""), (.offset, "?start={offset}", "{count: total}"),
    (.cursor, "?after={next}&n=10", "{next: cursor}"),
    (.lastID, "?starting_after={next}", "{next: last-id, more: has_more}"),
  ]

  @Test(
    "all pages are read, an inserted offer doubles nothing, and one that is moved to an earlier page is not gone",
    arguments: styles)
  private func reads(style: PagedShop.Style, query: String, pages: String) async throws {
    let home = try await FetchHome()
    let shop = PagedShop(Array(1...35), style)
    home.web.answer(shop.answer)
    let engine = try home.engine(Self.yaml(query, pages))
    #expect(try await engine.run("shop").counts.new == 35)
    #expect(home.web.requests.first?.url.query?.contains("after=") != true)
    home.wait(days: 1)
    shop.change(at: 2) { $0.insert(36, at: 0) }
    var run = try await engine.run("shop")
    #expect(run.counts.gone == 0 && run.counts.skipped == 0 && run.error == nil)
    home.wait(days: 1)
    run = try await engine.run("shop")
    #expect(run.counts.gone == 0 && run.counts.changed == 0)
    home.wait(days: 1)
    shop.change(at: 2) { $0.removeAll { $0 == 5 } }
    run = try await engine.run("shop")
    #expect(run.counts.gone <= 1 && run.counts.skipped == 0)
    home.wait(days: 1)
    run = try await engine.run("shop")
    let ids = try await home.ids().compactMap { Int($0) }
    #expect(Set(ids) == Set(1...36).subtracting([5]))
  }

  @Test("one that left the list is gone at once, after a second reading")
  func removes() async throws {
    let home = try await FetchHome()
    let shop = PagedShop(Array(1...35), .numbers)
    home.web.answer(shop.answer)
    let engine = try home.engine(Self.yaml("?page={page}"))
    _ = try await engine.run("shop")
    shop.change { $0.removeAll { $0 == 7 } }
    let count = home.web.requests.count
    let run = try await engine.run("shop")
    #expect(run.counts.gone == 1 && run.counts.new == 0 && run.counts.unchanged == 34)
    #expect(home.web.requests.count == count + 10)
  }

  @Test(
    "a list that has more than is read is told, and lacks nothing for good",
    arguments: [("{more: next}", #","next":"abc""#), ("{count: total}", #","total":70"#)])
  func tells(pages: String, rest: String) async throws {
    let home = try await FetchHome()
    let engine = try home.engine(Self.yaml("", pages))
    home.web.answer { _ in
      SimulatedAnswer(200, [], #"{"items":[{"id":1,"name":"A"},{"id":2,"name":"B"}]\#(rest)}"#)
    }
    let run = try await engine.run("shop")
    #expect(run.problems.first?.reason.contains("2 offers of it were read") == true)
    home.web.answer { _ in
      SimulatedAnswer(200, [], #"{"items":[{"id":3,"name":"C"}]\#(rest)}"#)
    }
    #expect(try await engine.run("shop").counts.gone == 0)
    #expect(try await home.ids().sorted() == ["1", "2", "3"])
  }

  @Test("more pages than the limit that nobody set are told, and remove nothing")
  func tellsLimit() async throws {
    let home = try await FetchHome()
    let shop = PagedShop(Array(1...250), .numbers)
    home.web.answer(shop.answer)
    let engine = try home.engine(Self.yaml("?page={page}"))
    let run = try await engine.run("shop")
    #expect(run.counts.new == 200)
    #expect(run.problems.first?.reason.contains("first 20 pages") == true)
    shop.change { $0.insert(contentsOf: 251...255, at: 0) }
    #expect(try await engine.run("shop").counts.gone == 0)
  }

  @Test("a next page on another host is refused, unless the definition allows it")
  func refusesOtherHosts() async throws {
    let home = try await FetchHome()
    home.web.answer { request in
      let isFirst = request.url.host() == "feed.example"
      let next = isFirst ? #","next":"https://other.example/2""# : ""
      return SimulatedAnswer(
        200, [], #"{"items":[{"id":\#(isFirst ? 1 : 2),"name":"A"}]\#(next)}"#)
    }
    let refused = try await home.engine(Self.yaml("", "{next: next}")).run("shop")
    #expect(refused.error?.message.contains("another host") == true)
    #expect(try await home.ids() == [])
    let allowed = try home.engine(
      Self.yaml("", "{next: next, other-hosts: true}\n    headers: {X-Key: \"{env:K}\"}"),
      variables: ["K": "secret"])
    #expect(try await allowed.run("shop").counts.new == 2)
    #expect(home.web.requests.last?.headers.contains { $0.value == "secret" } == false)
  }

  @Test("pages that lead back end the feed, and say so")
  func endsCircles() async throws {
    let home = try await FetchHome()
    home.web.answer { request in
      let id = request.url.query == "p=2" ? 2 : 1
      return SimulatedAnswer(
        200, [], #"{"items":[{"id":\#(id),"name":"A"}],"next":"/shop?p=\#(3 - id)"}"#)
    }
    let run = try await home.engine(Self.yaml("?p=1", "{next: next}")).run("shop")
    #expect(run.counts.new == 2 && home.web.requests.count == 2)
    #expect(run.problems.first?.reason.contains("that is an earlier one") == true)
  }

  @Test(
    "the number of pages in a header field counts, and behind the last one WordPress answers 400")
  func countsByHeader() async throws {
    let home = try await FetchHome()
    home.web.answer { request in
      guard request.url.query != "page=3" else {
        return SimulatedAnswer(400, [], #"{"code":"rest_post_invalid_page_number"}"#)
      }
      let id = request.url.query == "page=2" ? 2 : 1
      return SimulatedAnswer(
        200, [("X-WP-TotalPages", "2")], #"{"items":[{"id":\#(id),"name":"A"}]}"#)
    }
    var engine = try home.engine(
      Self.yaml("?page={page}", "{total: {header: X-WP-TotalPages}}"))
    #expect(try await engine.run("shop").counts.new == 2)
    #expect(home.web.requests.count == 2)
    engine = try home.engine(Self.yaml("?page={page}"))
    #expect(try await engine.run("shop").error == nil)
    home.web.answer { request in
      request.url.query == "page=1"
        ? SimulatedAnswer(200, [], #"{"items":[{"id":1,"name":"A"}],"total":9}"#)
        : SimulatedAnswer(400, [], "{}")
    }
    #expect(try await engine.run("shop").outcome == .failed)
    home.web.answer { request in
      request.url.query == "page=1"
        ? SimulatedAnswer(200, [], #"{"items":[{"id":1,"name":"A"}],"total":9}"#)
        : SimulatedAnswer(404, [], "{}")
    }
    engine = try home.engine(Self.yaml("?page={page}", "{count: total}"))
    #expect(try await engine.run("shop").outcome == .failed)
    #expect(try await home.ids().count == 2)
  }
}
