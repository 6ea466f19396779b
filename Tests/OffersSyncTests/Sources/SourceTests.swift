import Foundation
import OffersCore
import OffersHTTP
import Synchronization
import Testing

@testable import OffersSync

@Suite("Where feeds are read from")
struct SourceTests {

  @Test("standard input is never remembered; URLs and the sample are read as such")
  func understandsSources() throws {
    #expect(try SyncSource(parsing: "-").rememberedText == nil)
    #expect(try SyncSource(parsing: "sample") == .sample)
    #expect(try SyncSource(parsing: "HTTPS://a.example/x") == .url("HTTPS://a.example/x"))
    #expect(throws: OffersError.self) { try SyncSource(parsing: "") }
    #expect(throws: OffersError.self) { try SyncSource(parsing: "gopher://a.example/x") }
  }

  @Test("a text without a scheme is no URL, and one with another scheme is refused by its name")
  func refusesSchemes() {
    for text in ["not a url", "://a.example"] {
      let error = #expect(throws: OffersError.self) { try SyncSource.url(text).validated() }
      #expect(error?.message == "The source is no URL: it has no scheme.")
      #expect(
        error?.hint?.text
          == "Name one of these: an http or https URL, a file, standard input (-), or sample.")
    }
    let error = #expect(throws: OffersError.self) { try SyncSource(parsing: "ftp://a.example/x") }
    #expect(error?.message == "The source ftp://a.example/x has the unsupported scheme ftp.")
  }

  @Test(
    "an address with a name or password is refused without telling it",
    arguments: ["https://me:sekret@a.example/x", "http://sekret@a.example", "http://@a.example?b"])
  func refusesPasswords(source: String) {
    let error = #expect(throws: OffersError.self) { try SyncSource(parsing: source) }
    #expect(error?.code == .invalidRequest)
    #expect(error?.description.contains("sekret") == false)
    #expect(throws: Never.self) {
      try SyncSource(parsing: "https://a.example/@me?mail=a@b.example")
    }
  }

  @Test("a sync that had begun before its feed was given up does not take it up again")
  func staysGivenUp() async throws {
    let home = try await SyncedFolder()
    let path = try home.folder.write(FeedText.feed(1...3), to: "feed.json")
    try await home.sync(from: path)
    #expect(try await home.database.unsubscribe(from: "ibotta"))
    for text in [FeedText.feed(1...4), FeedText.feed(1...4)] {
      _ = try home.folder.write(text, to: "feed.json")
      #expect(try await home.sync(from: path).outcome != .failed)
      #expect(try await home.database.fetchSubscribedFeeds() == [])
    }
    // Whoever syncs it later wants it again.
    let later = Date().timeIntervalSince1970 + 60
    #expect(try await home.sync(from: path, at: later).outcome != .failed)
    #expect(try await home.database.fetchSubscribedFeeds() == ["ibotta"])
  }

  @Test("an unknown feed is refused by name")
  func refusesUnknownFeeds() async throws {
    let home = try await SyncedFolder()
    let error = await #expect(throws: OffersError.self) {
      try await SyncEngine(store: home.database).run("nowhere")
    }
    #expect(error?.code == .notFound)
    #expect(error?.hint?.text.contains("ibotta") == true)
  }

  @Test("a relative path is read from the current folder and remembered as an absolute one")
  func remembersWhereItRead() async throws {
    let home = try await SyncedFolder()
    let path = try home.folder.write(FeedText.feed(1...3), to: "feed.json")
    let depth = FileManager.default.currentDirectoryPath.split(separator: "/").count
    let relative = String(repeating: "../", count: depth) + path.dropFirst()
    #expect(try await home.sync(from: relative).counts.new == 3)
    let source = try await home.feed().source
    #expect(source == FileManager.default.currentDirectoryPath + "/" + relative)
    #expect(try await home.sync(from: nil).outcome == .unchanged)
  }

  @Test("progress goes forward to the end of the document, then says that it is writing")
  func reportsProgress() async throws {
    let home = try await SyncedFolder()
    let text = FeedText.feed(1...9_000)
    let path = try home.folder.write(text, to: "feed.json")
    let reports = Mutex<[SyncProgress]>([])
    _ = try await SyncEngine(store: home.database).run(
      "ibotta", options: SyncOptions(source: .file(path))
    ) { report in reports.withLock { $0.append(report) } }
    let all = reports.withLock { $0 }
    #expect(all.count > 2)
    #expect(all.map(\.bytes) == all.map(\.bytes).sorted())
    #expect(all.map(\.records) == all.map(\.records).sorted())
    #expect(all.allSatisfy { $0.totalBytes == text.utf8.count && $0.feed == "ibotta" })
    #expect(all.filter(\.isWriting) == all.suffix(1))
    #expect(all.last?.records == 9_000)
  }

  @Test("megabytes of new offers are stored whole, and only the database stays behind")
  func storesLargeFeeds() async throws {
    let home = try await SyncedFolder()
    let terms = String(repeating: "Buy two. ", count: 700)
    let records = (1...7_000).map { #"{"id":"\#($0)","name":"Tea \#($0)","terms":"\#(terms)"}"# }
    let huge = #"{"id":"huge","name":"Tea","terms":"\#(String(repeating: "x", count: 256 << 10))"}"#
    let run = try await home.sync(FeedText.list(records + [huge]))
    #expect(run.counts.all == [7_001, 0, 0, 0, 0, 0])
    #expect(try await home.ids().count == 7_001)
    #expect(try await home.database.fetchOffer(named: "7000").terms == terms)
    #expect(try await home.database.fetchOffer(named: "huge").terms?.utf8.count == 256 << 10)
    let files = try FileManager.default.contentsOfDirectory(atPath: home.folder.path).sorted()
    #expect(
      files == [
        "feed.json", "offers.sqlite", "offers.sqlite-lock", "offers.sqlite-shm",
        "offers.sqlite-wal",
      ])
  }

  private static func record(_ position: Int, terms: String? = nil) -> OfferRecord {
    var record = OfferRecord()
    record[.id] = "\(position)"
    record[.terms] = terms
    record.position = position
    return record
  }

  @Test("a spool gives its records back in order, as often as asked")
  func spoolKeepsOrder() async throws {
    let folder = try await SyncedFolder().folder
    let spool = RecordSpool(folder: folder.path)
    let sizes = (0..<700).map { $0 % 50 == 7 ? 3 << 20 : 64 << 10 }
    for (number, size) in sizes.enumerated() {
      try spool.append(Self.record(number, terms: String(repeating: "x", count: size)))
    }
    let records = spool.finish()
    for _ in 0..<2 {
      var seen: [Int] = []
      try records.forEachRecord { record in
        #expect(record[.terms]?.utf8.count == sizes[seen.count])
        seen.append(record.position)
      }
      #expect(seen == Array(0..<700))
    }
    // Its file has no name.
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: folder.path).allSatisfy {
        !$0.contains("spool")
      })
  }

  @Test("a spool whose file or memory lost its end is an error, not a shorter list")
  func spoolMissesItsEnd() async throws {
    let folder = try await SyncedFolder().folder
    func encoded(_ positions: Range<Int>) -> [UInt8] {
      var bytes: [UInt8] = []
      for position in positions { Self.record(position, terms: "terms").encode(to: &bytes) }
      return bytes
    }
    // Whole; cut within a record of the file, and between two; cut in memory.
    let cuts: [(stored: [UInt8], rest: [UInt8], isWhole: Bool)] = [
      (encoded(0..<4), encoded(4..<6), true),
      (encoded(0..<4).dropLast(3), encoded(4..<6), false),
      (encoded(0..<3), encoded(4..<6), false),
      (encoded(0..<4), encoded(4..<6).dropLast(1), false),
      (encoded(0..<4).dropLast(3), [], false),
    ]
    for (stored, rest, isWhole) in cuts {
      let file = try SpoolFile(folder: folder.path)
      try stored.withUnsafeBytes { try file.append($0) }
      let records = SpooledRecords(file: file, rest: rest, count: 6)
      var positions: [Int] = []
      do {
        try records.forEachRecord { positions.append($0.position) }
        #expect(isWhole && positions == Array(0..<6))
      } catch let error as OffersError {
        #expect(!isWhole && error.code == .storageFailed)
      }
    }
  }

  @Test("a spool of few records needs no file, and one of none gives none")
  func spoolKeepsFewInMemory() throws {
    let spool = RecordSpool(folder: "/nowhere")
    #expect(try spool.finish().makeReader().next() == nil)
    try spool.append(Self.record(7))
    let reader = spool.finish().makeReader()
    #expect(try reader.next()?.position == 7)
    #expect(try reader.next() == nil)
  }
}
