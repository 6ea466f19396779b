import OffersCore
import OffersSync
import OffersTestSupport
import Testing

@testable import OffersServer

@Suite("Offers held back, on the pages", .timeLimit(.minutes(2)))
struct PageHeldTests {
  private static let note = "20 of 30 offers are missing from the feed since "

  /// A server whose feed has lost 20 of its 30 offers.
  private static func server() async throws -> (ServedHome, OffersServer) {
    let home = try await ServedHome(feeds: [])
    let syncer = SampleSyncer(database: home.database)
    let engine = SyncEngine(store: home.database)
    for count in [30, 10] {
      let records = (1...count).map { #"{"id":"\#($0)","name":"Tea \#($0)"}"# }
      let path = try home.folder.write("[\(records.joined(separator: ","))]", to: "feed.json")
      syncer.ownSource.withLock { $0 = .file(path) }
      _ = try await engine.sync("ibotta", options: SyncOptions(source: .file(path)))
    }
    return (home, try home.server(syncer: syncer))
  }

  @Test(
    "the list, the feed's page and the settings tell them, with two buttons",
    arguments: ["/", "/feeds/ibotta", "/settings/feeds"])
  func tells(path: String) async throws {
    let (home, server) = try await Self.server()
    let page = try await home.show(path, on: server)
    #expect(page.status == 200)
    #expect(page.text.contains(Self.note))
    #expect(page.text.contains(">Remove now</button>") && page.text.contains(">Keep</button>"))
  }

  @Test(
    "a button decides about them, and the note goes",
    arguments: [("accept-removals", 10), ("keep-missing", 30)])
  func decides(field: String, count: Int) async throws {
    let (home, server) = try await Self.server()
    let answer = try await home.client(server).form("/sync", "feed=ibotta&\(field)=1&back=/")
    #expect(answer.status == 303)
    for await _ in home.database.commits {
      let offers = try await home.database.fetchOffers(OfferQuery(feed: "ibotta"))
      let held = try await home.database.fetchFeeds().first?.fetch.held
      if offers.count == count, held == nil { break }
    }
    let page = try await home.show("/", on: server)
    #expect(!page.text.contains(Self.note))
    #expect(!page.text.contains(">Keep</button>"))
    let kept = "20 offers that the feed lacks are kept until it has them again."
    #expect(page.text.contains(kept) == (count == 30))
    #expect(page.text.contains(">Remove now</button>") == (count == 30))
  }
}
