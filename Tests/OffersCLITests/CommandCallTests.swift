import Foundation
import OffersCore
import OffersTestSupport
import Testing

@testable import OffersCLI

@Suite("Commands that run inside the test process")
struct CommandCallTests {
  private let home: Home
  private let feed: String

  init() throws {
    home = try Home()
    feed = try home.feed([FeedItem("1", "Tea"), FeedItem("2", "Jam")])
    try home.folder.write("feeds: {}\n", to: "feeds.yaml")
  }

  /// The output and the exit code of a command.
  private struct Outcome {
    let output: String
    let errors: String
    let code: Int32
  }

  /// Runs a command with the given arguments and captures its output.
  private func call(
    _ arguments: [String], isOutputClosed: Bool = false
  ) async throws -> Outcome {
    let names = ["output", "errors"]
    let files = try names.map { name in
      let path = try home.folder.write("", to: name)
      return try FileHandle(forWritingTo: URL(fileURLWithPath: path))
    }
    var context = ProcessContext(
      output: files[0].fileDescriptor, errors: files[1].fileDescriptor)
    if isOutputClosed { context.output = -1 }
    let code = await ProcessContext.$current.withValue(context) {
      await Offers.run(arguments: arguments)
    }
    for file in files { try file.close() }
    let texts = try names.map { try home.folder.text(of: $0) }
    return Outcome(output: texts[0], errors: texts[1], code: code)
  }

  private var location: String { "--database=\(home.database)" }
  private var settings: String { "--config=\(home.folder.file("feeds.yaml"))" }

  @Test("a successful command prints to the caller's streams and returns 0")
  func succeed() async throws {
    let sync = try await call(["sync", "--from", feed, location, settings])
    #expect((sync.code, sync.errors) == (0, ""))
    #expect(sync.output.hasPrefix("ibotta: 2 new"))
    let star = try await call([location, "favorite", "2"])
    #expect((star.code, star.output) == (0, "★ ibotta:2  Jam\n"))
    let list = try await call([
      "list", "--favorites", "--format", "tsv", "--columns", "id", location,
    ])
    #expect((list.code, list.output) == (0, "id\n2\n"))
    let found = try await call(["search", "-tea", "--json", location, settings])
    #expect(found.code == 0)
    #expect(try Home.parse(found.output)["words"] as? String == "-tea")
    let shown = try await call(["show", "1", "--json", location])
    #expect(try Home.parse(shown.output)["name"] as? String == "Tea")
    let database = try await home.store.open(.readOnly)
    #expect(
      try await database.fetchOffers(OfferQuery(favoritesOnly: true)).map(\.ref.offerID) == ["2"])
    #expect(try await database.fetchRecentSearches().map(\.words) == ["-tea"])
  }

  @Test("a failed command returns its exit code and prints the error to the caller's stream")
  func fail() async throws {
    #expect(try await call(["sync", "--quiet", "--from", feed, location, settings]).code == 0)
    for (arguments, code, message) in [
      (["show", "9", location], 66, "offers: There is no offer “9”."),
      (["lst"], 64, "offers: There is no command “offers lst”."),
      (["list", "--nonsense"], 64, "offers: Unknown option '--nonsense'"),
      (["search", "tea", "--nonsense"], 64, "offers: Unknown option '--nonsense'."),
      (["sync", "--from", home.folder.path, location, settings], 1, "offers: ibotta: "),
      (["sync", "nofeed", "ibotta", location, settings], 3, "offers: There is no feed “nofeed”."),
      (["search", "xylophone", "--exit-status", location], 66, "Nothing found"),
    ] as [([String], Int32, String)] {
      let outcome = try await call(arguments)
      #expect(outcome.code == code, "\(arguments)")
      #expect(outcome.errors.hasPrefix(message), "\(outcome.errors)")
    }
    let version = try await call(["--version"])
    #expect((version.code, version.output, version.errors) == (0, Version.current + "\n", ""))
    #expect(try await call(["help", "list"]).output.hasPrefix("OVERVIEW: List offers."))
  }

  @Test("a command whose output is closed returns 1 with an error, but keeps its changes")
  func unwritable() async throws {
    let told = "offers: The output could not be written: it is closed.\n"
    let sync = try await call(["sync", "--from", feed, location, settings], isOutputClosed: true)
    #expect((sync.code, sync.errors) == (1, told))
    #expect(try await call(["show", "1", location]).code == 0)
    for arguments in [
      ["list", location], ["show", "1", location], ["--version"], ["--help"],
      ["export", location],
    ] {
      let outcome = try await call(arguments, isOutputClosed: true)
      #expect((outcome.code, outcome.errors) == (1, told), "\(arguments)")
    }
  }

  @Test("each command closes its database")
  func close() async throws {
    _ = try await call(["sync", "--quiet", "--from", feed, location, settings])
    for arguments in [
      ["list", location], ["show", "1", location], ["search", "tea", location],
      ["favorite", "1", location], ["doctor", location, settings], ["export", location],
      ["show", "9", location],
    ] {
      _ = try await call(arguments)
      // The connection's queue may release it after the command has returned.
      let end = ContinuousClock.now + .seconds(30)
      while try isDatabaseOpen(), ContinuousClock.now < end { await Task.yield() }
      #expect(try !isDatabaseOpen(), "\(arguments)")
    }
  }

  /// Returns whether this process has the database open.
  private func isDatabaseOpen() throws -> Bool {
    let folder = "/proc/self/fd"
    return try FileManager.default.contentsOfDirectory(atPath: folder).contains { name in
      // Tests that run in parallel may close their descriptors during the loop.
      let path = try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\(name)")
      return path == home.database
    }
  }
}
