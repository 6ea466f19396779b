import Foundation
import OffersCore
import OffersStore
import OffersTestSupport
import Testing

@Suite("A large file for a database that does not exist yet")
struct FirstImportTests {
  private let home: Home

  init() throws { home = try Home() }

  /// Some megabytes of offers.
  private func feed(_ count: Int = 3000) throws -> String {
    try home.feed(
      (1...count).map {
        FeedItem("\($0)", "Offer \($0)", terms: String(repeating: "t", count: 2000))
      })
  }

  private var hasRemains: Bool {
    FileManager.default.fileExists(atPath: home.database + "-setup")
  }

  @Test("It is told, stored and starred as any other")
  func isAsAnyOther() throws {
    let path = try feed()
    let first = try home.offers("sync", "--from", path)
    #expect(first.errors == "")
    #expect(
      home.stable(first.output)
        == "ibotta: 3,000 new, 0 changed, 0 gone, 0 back, 0 unchanged, 0 skipped in TIME\n")
    #expect(first.status == 0)
    #expect(!hasRemains)
    #expect(try home.offers("favorite", "2999").status == 0)
    let again = try home.document("sync")
    let runs = try #require(again["runs"] as? [[String: Any]])
    #expect(runs.map { $0["outcome"] as? String } == ["unchanged"])
    #expect(runs.map { $0["unchanged"] as? Int } == [3000])
    #expect(try home.offers("search", "2998").output.contains("ibotta:2998"))
    #expect(try home.offers("doctor").status == 0)
  }

  @Test("One that is cut off says so, and the next one works")
  func isCutOff() throws {
    let path = try feed()
    let whole = try Data(contentsOf: URL(fileURLWithPath: path))
    let cut = try home.folder.write(whole.dropLast(1000), to: "cut.json")
    let result = try home.offers("sync", "--from", cut)
    #expect(result.status == 1)
    #expect(result.output == "")
    #expect(result.errors.contains("The document ends too early"), "\(result.errors)")
    #expect(!hasRemains)
    #expect(try home.offers("list", "--json").output == "{\"offers\":[]}\n")
    #expect(try home.offers("status").output.contains("failed"))
    #expect(try home.offers("sync", "--quiet", "--from", path).status == 0)
    #expect(try home.offers("list", "--limit", "1").errors.contains("3,000") == true)
  }

  @Test("Other syncs and refused commands beside it take nothing of it away")
  func isNotDisturbed() async throws {
    let process = try OffersProgram.start(
      ["sync", "--quiet", "--from", try feed(16_000)], environment: home.environment)
    while process.isRunning, !hasRemains { sched_yield() }
    #expect(process.isRunning, "the import ended too early to be disturbed")
    let list = try home.offers("list")
    #expect(list.status == 0 || list.errors.contains("is being made by its first import"))
    #expect(try home.offers("favorite", "nothing").status == 66)
    #expect(try home.offers("sync", "nosuch").status == 66)
    #expect(try home.offers("sync", "--quiet", "albums", "--from", "sample").status == 0)
    #expect(process.wait() == 0)
    let database = try OffersDatabase(path: home.database, access: .readOnly)
    #expect(try await database.countOffers(OfferQuery(feed: "ibotta")) == 16_000)
    #expect(try await database.fetchFeeds().map(\.name) == ["albums", "ibotta"])
    #expect(!hasRemains)
    #expect(try home.integrity() == "ok\n")
  }

  @Test(
    "A relative path is a file's, whatever it looks like",
    arguments: ["file:a.sqlite", "b?.sqlite"])
  func takesAnyPath(name: String) throws {
    let path = try feed()
    let result = try home.shell("offers sync --quiet --from '\(path)' --database '\(name)'")
    #expect(result.errors == "")
    #expect(result.status == 0)
    #expect(try home.shell("offers list --limit 1 --json --database './\(name)'").status == 0)
    #expect(!FileManager.default.fileExists(atPath: home.folder.file(name + "-setup")))
  }
}
