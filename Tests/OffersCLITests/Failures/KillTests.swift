import Foundation
import OffersCore
import OffersSQLite
import OffersTestSupport
import TestStores
import Testing

/// Kills the program at random moments and in the middle of its writes. The tests have to wait for
/// these moments, so they sleep for fractions of a second.
@Suite("kill -9", .serialized)
struct KillTests {
  private let home: Home

  init() throws { home = try Home() }

  /// Returns the items of a version of the feed. Version B renames all offers, removes 100 and adds
  /// 100.
  private static func version(_ name: String, termsLength: Int = 60) -> [FeedItem] {
    let ids = Array(0..<2900) + (name == "A" ? Array(2900..<3000) : Array(3000..<3100))
    let terms = String(repeating: "t", count: termsLength)
    return ids.map { FeedItem("\($0)", "Offer \($0) \(name)", terms: terms) }
  }

  private static func names(_ items: [FeedItem]) -> [String] { items.compactMap(\.name).sorted() }

  /// Starts the program, kills it, and returns whether it was killed before it ended.
  ///
  /// - Parameters:
  ///   - usual: The duration of a run; the kill comes at a random moment within it.
  ///   - isWriting: Returns whether SQLite is writing; the kill then comes within 4 ms.
  private func killed(
    _ arguments: [String], within usual: Duration, once isWriting: (() -> Bool)? = nil,
    output: FileHandle? = nil
  ) throws -> Bool {
    let process = try OffersProgram.start(arguments, environment: home.environment, output: output)
    if let isWriting {
      while process.isRunning, !isWriting() { sched_yield() }
      usleep(UInt32.random(in: 0...4000))
    } else {
      usleep(UInt32.random(in: 0...UInt32(usual / .microseconds(1) * 1.1)))
    }
    process.send(SIGKILL)
    return process.wait() == -SIGKILL
  }

  private func size(of path: String) -> Int {
    var information = stat()
    return stat(path, &information) == 0 ? Int(information.st_size) : 0
  }

  /// Runs the program to its end and returns how long that takes.
  private func duration(of arguments: [String]) throws -> Duration {
    let begun = ContinuousClock.now
    let result = try home.offers(arguments)
    #expect(result.status == 0, "\(result.errors)")
    return ContinuousClock.now - begun
  }

  /// Returns the offers' names after the program and SQLite's integrity checks have opened the
  /// database.
  private func storedNames(_ database: String) async throws -> [String] {
    let status = try home.offers("status", "--database", database)
    // A sync that was killed before it created the database leaves no file, or an incomplete one.
    if status.status == 66 { return [] }
    #expect(status.status == 0, "\(status.errors)")
    #expect(try home.integrity(of: database) == "ok\n")
    #expect(try home.indexIntegrity(of: database) == "")
    return try await TestStore.open(database, .readOnly)
      .fetchOffers(OfferQuery()).map(\.name).sorted()
  }

  @Test(
    "A killed sync leaves the old or the new offers, and the next sync completes the change",
    .aboutFile)
  func sync() async throws {
    let names = ["A": Self.names(Self.version("A")), "B": Self.names(Self.version("B"))]
    let paths = [
      "A": try home.feed(Self.version("A"), named: "A.json"),
      "B": try home.feed(Self.version("B"), named: "B.json"),
    ]
    func sync(_ version: String) throws -> [String] {
      ["sync", "--quiet", "--from", try #require(paths[version])]
    }
    var usual = Duration.zero
    for version in ["A", "B", "A"] { usual = try duration(of: try sync(version)) }
    #expect(try home.offers("favorite", "1", "2950", "3050").status == 0)
    var current = "A"
    var killCount = 0
    for round in 0..<30 {
      let next = current == "A" ? "B" : "A"
      let isWriting = { size(of: home.database + "-wal") > 50_000 }
      if try killed(try sync(next), within: usual, once: round % 2 == 0 ? isWriting : nil) {
        killCount += 1
      }
      let stored = try await storedNames(home.database)
      if stored == names[next] { current = next }
      #expect(stored == names[current])
      // The next write succeeds, and resets the write-ahead log that the next round watches.
      #expect(try home.offers("favorite", "1").status == 0)
    }
    #expect(killCount > 0)
    #expect(try home.offers("list", "--favorites").output.split(separator: "\n").count == 4)
    let next = current == "A" ? "B" : "A"
    #expect(try home.offers(try sync(next)).status == 0)
    #expect(try await storedNames(home.database) == names[next])
    #expect(try home.offers("list", "--favorites").output.split(separator: "\n").count == 4)
  }

  @Test(
    "A killed first import leaves no offer or all of them, and the next import completes it",
    .aboutFile,
    arguments: [1300, 9000])
  func firstImport(termsLength: Int) async throws {
    let items = Self.version("A", termsLength: termsLength)
    let path = try home.feed(items, named: "large.json")
    let names = Self.names(items)
    let usual = try duration(of: ["sync", "--quiet", "--from", path])
    var killCount = 0
    for round in 0..<(TestSize.isLong ? 12 : 3) {
      let database = home.folder.file("fresh-\(round).sqlite")
      let arguments = ["sync", "--quiet", "--from", path, "--database", database]
      let isWriting = { size(of: database + "-wal") > 500_000 }
      if try killed(arguments, within: usual, once: round % 3 == 0 ? nil : isWriting) {
        killCount += 1
      }
      let stored = try await storedNames(database)
      #expect(stored.isEmpty || stored == names)
      #expect(try home.offers(arguments).status == 0)
      #expect(try await storedNames(database) == names)
    }
    #expect(killCount > 0)
  }

  @Test(
    "A database with a hot journal from an older version is recovered when it is read or written",
    .aboutFile)
  func hotJournal() async throws {
    #expect(
      try home.offers("sync", "--quiet", "--from", home.feed([FeedItem("1", "Tea")])).status == 0)
    func interrupt() throws {
      let file = try Data(contentsOf: URL(fileURLWithPath: home.database))
      try home.folder.write(
        Self.journal(ofFirstPage: [UInt8](file.prefix(8192))), to: "offers.sqlite-journal")
    }
    try interrupt()
    #expect(try await storedNames(home.database) == ["Tea"])
    try interrupt()
    #expect(try home.offers("favorite", "1").status == 0)
    #expect(try home.offers("list", "--favorites").output.contains("Tea"))
  }

  /// Returns the rollback journal of a transaction that switches a database from rollback journal
  /// to WAL mode: a header, and the original first page.
  /// https://sqlite.org/fileformat2.html#the_rollback_journal
  private static func journal(ofFirstPage page: [UInt8]) -> Data {
    func bytes(_ number: Int) -> [UInt8] {
      [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) }
    }
    var old = page
    old.replaceSubrange(18...19, with: [1, 1])
    let pageCount = page[28..<32].reduce(0) { $0 << 8 | Int($1) }
    let checksum = stride(from: page.count - 200, to: 0, by: -200).reduce(0) { $0 + Int(old[$1]) }
    var journal: [UInt8] = [0xD9, 0xD5, 0x05, 0xF9, 0x20, 0xA1, 0x63, 0xD7]
    for number in [1, 0, pageCount, 512, page.count] { journal += bytes(number) }
    journal += [UInt8](repeating: 0, count: 512 - journal.count)
    return Data(journal + bytes(1) + old + bytes(checksum))
  }

  @Test("An acknowledged favorite survives any kill, and a killed command stars all offers or none")
  func favorite() async throws {
    let path = try home.feed(Self.version("A"))
    #expect(try home.offers("sync", "--quiet", "--from", path).status == 0)
    let usual = try duration(of: ["favorite", "0"])
    var acknowledged: Set<String> = ["0"]
    var killCount = 0
    for round in 0..<30 {
      let single = "\(1 + round)"
      #expect(try home.offers("favorite", single).status == 0)
      acknowledged.insert(single)
      let group = (0..<20).map { "\(100 + round * 20 + $0)" }
      try home.folder.write("", to: "acknowledged")
      let output = try FileHandle(
        forWritingTo: URL(fileURLWithPath: home.folder.file("acknowledged")))
      let before = size(of: home.database + "-wal")
      let isWriting = { size(of: home.database + "-wal") != before }
      if try killed(
        ["favorite"] + group, within: usual,
        once: TestStore.isFile && round % 2 == 0 ? isWriting : nil, output: output)
      {
        killCount += 1
      }
      // Output that was printed before the kill is an acknowledgement, too.
      if try home.folder.text(of: "acknowledged") != "" { acknowledged.formUnion(group) }
      let stored = Set(
        try await home.store.open(.readOnly)
          .fetchOffers(OfferQuery(favoritesOnly: true)).map(\.ref.offerID))
      #expect(acknowledged.isSubset(of: stored))
      #expect(stored.isDisjoint(with: group) || stored.isSuperset(of: group))
      acknowledged = stored
    }
    #expect(killCount > 0)
    #expect(try await storedNames(home.database).count == 3000)
  }
}
