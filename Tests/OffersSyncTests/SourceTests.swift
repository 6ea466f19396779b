import Foundation
import OffersCore
import Testing

@testable import OffersSync

@Suite("Where feeds are read from")
struct SourceTests {
  @Test("a relative path becomes an absolute one, and is remembered so")
  func remembersAbsolutePaths() throws {
    let source = try DocumentSource("feeds/a.json")
    #expect(source.text == FileManager.default.currentDirectoryPath + "/feeds/a.json")
    #expect(source.rememberedText == source.text)
  }

  @Test("standard input is never remembered; URLs and the sample are read as such")
  func understandsSources() throws {
    #expect(try DocumentSource("-").rememberedText == nil)
    #expect(try DocumentSource("sample") == .sample)
    #expect(try DocumentSource("HTTPS://a.example/x") == .url("HTTPS://a.example/x"))
    #expect(throws: OffersError.self) { try DocumentSource("") }
    #expect(throws: OffersError.self) { try DocumentSource("gopher://a.example/x") }
  }

  @Test("an unknown feed is refused by name")
  func refusesUnknownFeeds() async throws {
    let home = try SyncedFolder()
    let error = await #expect(throws: OffersError.self) {
      try await SyncEngine(store: home.database).sync("nowhere")
    }
    #expect(error?.code == .notFound)
    #expect(error?.hint?.contains("ibotta") == true)
  }

  @Test("while a feed is still coming in, favorites are written, and a second sync is told to wait")
  func writesWhileReading() async throws {
    let home = try SyncedFolder()
    try await home.sync(FeedText.feed(1...3))
    let path = home.folder.file("pipe")
    #expect(mkfifo(path, 0o600) == 0)
    let text = FeedText.feed(1...4)
    let middle = text.index(text.startIndex, offsetBy: 40)
    async let run = home.sync(from: path)
    // Opening waits until the sync has opened the other end, so it is under way from here on.
    let pipe = await Task.detached { open(path, O_WRONLY) }.value
    #expect(pipe >= 0)
    let first = String(text[..<middle])
    #expect(write(pipe, first, first.utf8.count) == first.utf8.count)
    let changes = try await home.database.setFavorites(named: ["2"], to: true)
    #expect(changes.map(\.didChange) == [true])
    #expect(try await home.ids() == ["1", "2", "3"])
    let refusal = await #expect(throws: OffersError.self) {
      try await home.sync(from: "sample", lockWaitSeconds: 0.05)
    }
    #expect(refusal?.code == .locked)
    let rest = String(text[middle...])
    #expect(write(pipe, rest, rest.utf8.count) == rest.utf8.count)
    close(pipe)
    #expect(try await run.counts.all == [1, 0, 0, 0, 3, 0])
    #expect(try await home.database.fetchOffer(named: "2").isFavorite)
  }

  @Test("megabytes of new offers are stored whole, and only the database stays behind")
  func storesLargeFeeds() async throws {
    let home = try SyncedFolder()
    let terms = String(repeating: "Buy two. ", count: 700)
    let records = (1...4_000).map { #"{"id":"\#($0)","name":"Tea \#($0)","terms":"\#(terms)"}"# }
    let huge = #"{"id":"huge","name":"Tea","terms":"\#(String(repeating: "x", count: 3 << 20))"}"#
    let run = try await home.sync(FeedText.list(records + [huge]))
    #expect(run.counts.all == [4_001, 0, 0, 0, 0, 0])
    #expect(try await home.ids().count == 4_001)
    #expect(try await home.database.fetchOffer(named: "4000").terms == terms)
    #expect(try await home.database.fetchOffer(named: "huge").terms?.utf8.count == 3 << 20)
    let files = try FileManager.default.contentsOfDirectory(atPath: home.folder.path).sorted()
    #expect(
      files == [
        "feed.json", "offers.sqlite", "offers.sqlite-lock", "offers.sqlite-shm",
        "offers.sqlite-wal",
      ])
  }

  @Test("a spool gives its records back in order, as often as asked")
  func spoolKeepsOrder() throws {
    let folder = try SyncedFolder().folder
    let spool = RecordSpool(folder: folder.path)
    let sizes = (0..<400).map { $0 % 50 == 7 ? 3 << 20 : 64 << 10 }
    for (number, size) in sizes.enumerated() {
      try spool.append(byteCount: size) { address in
        address.storeBytes(of: UInt32(size), as: UInt32.self)
        address.storeBytes(of: UInt32(number), toByteOffset: 4, as: UInt32.self)
      }
    }
    let records = try spool.finish()
    #expect(records.isLarge)
    for _ in 0..<2 {
      var seen: [Int] = []
      try records.forEachRecord { seen.append($0.position) }
      #expect(seen == Array(0..<400))
    }
  }
}
