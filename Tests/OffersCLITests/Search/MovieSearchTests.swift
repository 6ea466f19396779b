import Foundation
import OffersTestSupport
import Testing

@Suite("Searching movies on their server")
struct MovieSearchTests {
  private static func page(_ titles: [String], of count: Int) -> ScriptedServer.Step {
    let items = titles.map { title in
      #"{"id":\#(title.utf8.reduce(0) { $0 &* 31 &+ Int($1) } % 100_000),"title":"\#(title)"}"#
    }
    return .answer(
      "200 OK", ["Content-Type: application/json"],
      #"{"page":1,"results":[\#(items.joined(separator: ","))],"total_pages":\#(count)}"#)
  }

  /// Creates a home whose movies feed uses the given server.
  private static func home(_ server: ScriptedServer) async throws -> Home {
    let home = try Home()
    let movies = try await home.call("feeds", "show", "movies").output
    let own = movies.replacing("https://api.themoviedb.org", with: server.url(""))
    try home.folder.write(own, to: ".config/offers/feeds.yaml")
    return home
  }

  private static func search(_ home: Home, _ words: String...) async throws -> OffersProgram.Result
  {
    try await OffersProgram.call(
      ["search", "--feed", "movies"] + words,
      environment: home.environment.merging(["TMDB_API_KEY": "s3cret"]) { $1 })
  }

  private static func names(_ result: OffersProgram.Result) -> [String] {
    result.output.split(separator: "\n").dropFirst().compactMap {
      $0.components(separatedBy: "  ").last?.trimmingCharacters(in: .whitespaces)
    }
  }

  @Test("--favorites searches the stored favorites without asking the server")
  func favorites() async throws {
    let server = try ScriptedServer([Self.page(["Superman II", "Superman"], of: 1)])
    let home = try await Self.home(server)
    let searched = try await Self.search(home, "superman", "--json")
    let offers = try Home.parse(searched.output)["offers"] as? [[String: Any]] ?? []
    let last = try #require(offers.first { $0["name"] as? String == "Superman" })
    try await home.expect("favorite", try #require(last["ref"] as? String))
    let found = try await Self.search(home, "superman", "--favorites")
    #expect(Self.names(found) == ["Superman"] && found.errors == "")
    #expect(server.requests.count == 1)
    // A starred one is listed, and none is a change.
    #expect(try await home.call("list", "--feed", "movies").output.contains("Superman\n"))
    #expect(try await home.call("list", "--feed", "movies").output.contains("Superman II") == false)
    #expect(try await home.call("changes", "--feed", "movies").output == "")
  }

  @Test("A search that the server did not answer is no recent search")
  func unanswered() async throws {
    let server = try ScriptedServer([Self.page(["Superman"], of: 1)])
    let home = try await Self.home(server)
    #expect(try await Self.search(home, "superman").status == 0)
    #expect(Self.names(try await Self.search(home, "super")) == ["Superman"])
    let searches = try await home.callDocument("search")["searches"] as? [[String: Any]]
    #expect(searches?.compactMap { $0["words"] as? String } == ["superman"])
  }

  @Test("The server is asked page by page, and its results are found offline later")
  func pages() async throws {
    let server = try ScriptedServer([
      Self.page(["Superman II", "Superman", "Man of Steel"], of: 2),
      Self.page(["Superman II", "Superman", "Man of Steel"], of: 2),
      Self.page(["Superman II", "Superman", "Man of Steel"], of: 2),
      Self.page(["Supergirl"], of: 2),
      Self.page(["Supergirl"], of: 2),
    ])
    let home = try await Self.home(server)
    let first = try await Self.search(home, "superman")
    #expect(first.status == 0 && Self.names(first) == ["Superman II", "Superman", "Man of Steel"])
    #expect(first.errors == "More: --page 2\n")
    let cut = try await Self.search(home, "superman", "--limit", "1")
    #expect(Self.names(cut) == ["Superman II"])
    #expect(cut.errors == "More: --page 2\n")
    let next = try await Self.search(home, "superman", "--limit", "2", "--page", "2")
    #expect(Self.names(next) == ["Man of Steel", "Supergirl"] && next.errors == "")
    #expect(try await Self.search(home, "superman", "--limit", "2", "--all").status == 64)
    let second = try await Self.search(home, "superman", "--page", "2")
    #expect(Self.names(second) == ["Supergirl"] && second.errors == "")
    #expect(
      server.requests.map { $0.split(separator: " ")[1] } == [
        "/3/search/movie?api_key=s3cret&query=superman&page=1",
        "/3/search/movie?api_key=s3cret&query=superman&page=1",
        "/3/search/movie?api_key=s3cret&query=superman&page=1",
        "/3/search/movie?api_key=s3cret&query=superman&page=2",
        "/3/search/movie?api_key=s3cret&query=superman&page=2",
      ])
    // The scripted server answers no further requests.
    let offline = try await Self.search(home, "superman")
    #expect(Set(Self.names(offline)) == ["Superman", "Superman II"])
    #expect(
      offline.errors.contains("These are stored offers of movies, not results of its server."))
    #expect(offline.status == 0)
    let all = try await home.call("search", "supergirl")
    #expect(Self.names(all) == ["Supergirl"] && all.errors == "")
    #expect(
      try await home.callDocument("search")["searches"].map { "\($0)" }?.contains("movies") == true)
    #expect(try await home.call("status").output.contains("movies") == false)
  }

  @Test("A search without an answer from the server and without stored offers fails")
  func offline() async throws {
    let server = try ScriptedServer([
      .answer(
        "401 Unauthorized", ["Content-Type: application/json"],
        #"{"status_code":7,"status_message":"Invalid API key: s3cret","success":false}"#)
    ])
    let home = try await Self.home(server)
    let refused = try await Self.search(home, "superman")
    #expect(refused.status == 1 && refused.output == "")
    #expect(refused.errors.contains("Invalid API key: {env:TMDB_API_KEY}"))
    let document = try Home.parse(try await Self.search(home, "superman", "--json").output)
    #expect((document["error"] as? [String: Any])?["code"] as? String == "sourceFailed")
    #expect((document["offers"] as? [Any])?.isEmpty == true)
    #expect(document["source"] as? String == "store")
    // Without its key, the search sends no request.
    let keyless = try await home.call("search", "--feed", "movies", "superman")
    #expect(keyless.errors.contains("TMDB_API_KEY is not set") && keyless.status == 64)
    #expect(try await home.call("search").errors.hasPrefix("No searches yet."))
  }

  @Test("Without results from the server, the stored offers are searched, and that is said first")
  func nothing() async throws {
    let server = try ScriptedServer(
      [Self.page(["Superman"], of: 1)] + Array(repeating: Self.page([], of: 1), count: 4))
    let home = try await Self.home(server)
    _ = try await Self.search(home, "superman")
    let stored = try await Self.search(home, "super")
    #expect(Self.names(stored) == ["Superman"])
    #expect(
      stored.errors
        == "The server of movies found nothing for “super”. These are stored offers:\n")
    let typo = try await Self.search(home, "supermna")
    #expect(typo.output == "")
    #expect(
      typo.errors == "Nothing found for “supermna” in movies; did you mean “superman”?\n")
    let nothing = try await Self.search(home, "xylophone", "--exit-status")
    #expect(nothing.status == 66 && nothing.errors == "Nothing found for “xylophone” in movies.\n")
    let behind = try await Self.search(home, "superman", "--page", "9")
    #expect(behind.status == 0 && behind.output == "")
    #expect(behind.errors == "Nothing found on page 9 for “superman” in movies.\n")
  }

  private static let shared = SharedFiles.folder("movies")

  @Test(
    "Real result pages are read, as many as the definition allows", .enabled(if: shared != nil))
  func realPages() async throws {
    let folder = try #require(Self.shared)
    let pages = try ["superman-page-1.json", "superman-page-2.json", "nothing-found.json"].map {
      ScriptedServer.Step.answer(
        "200 OK", [], try String(contentsOf: folder.appendingPathComponent($0), encoding: .utf8))
    }
    let server = try ScriptedServer(pages)
    let home = try await Self.home(server)
    let all = try await Self.search(home, "superman", "--all")
    #expect(Self.names(all).count == 40 && all.errors == "More: --page 3\n")
    let nothing = try await Self.search(home, "qqqqqqqq")
    #expect(nothing.errors == "Nothing found for “qqqqqqqq” in movies.\n")
    #expect(try await home.callDocument("search")["searches"] as? [Any] != nil)
    #expect(try await home.call("search", "superman", "--limit", "100").errors == "")
  }
}
