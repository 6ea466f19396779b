import Foundation
import GRDB
import OffersCore
import OffersStore
import OffersTestSupport
import Synchronization
import Testing

@testable import OffersSQLite

@Suite("Images in the database")
struct ImageModelTests {
  /// A model of the image cache, without a database.
  private struct Model {
    /// The cached images, least recently used first, and their fill bytes.
    var written: [(url: String, version: Int)] = []
    /// The uses since then, in order.
    var gathered: [String] = []
    var useCount = 0
    var favorites: Set<String> = []

    mutating func version(of url: String) -> Int? { written.first { $0.url == url }?.version }

    mutating func use(_ url: String?) {
      useCount += 1
      if let url {
        gathered.removeAll { $0 == url }
        gathered.append(url)
      }
      if useCount == ImageCacheLimits.gatheredUses { flush() }
    }

    mutating func flush() {
      useCount = 0
      writeOrder()
    }

    private mutating func writeOrder() {
      for url in gathered {
        guard let place = written.firstIndex(where: { $0.url == url }) else { continue }
        written.append(written.remove(at: place))
      }
      gathered = []
    }

    mutating func crash() { (gathered, useCount) = ([], 0) }

    mutating func put(_ url: String, _ version: Int) {
      writeOrder()
      if let place = written.firstIndex(where: { $0.url == url }) {
        written.remove(at: place)
      } else if written.count == 50 {
        let kept = Set(
          written.reversed().map(\.url).filter(favorites.contains).prefix(30))
        let victim = written.firstIndex { !kept.contains($0.url) } ?? 0
        written.remove(at: victim)
      }
      written.append((url, version))
    }
  }

  private static let operationCount =
    ProcessInfo.processInfo.environment["OFFERS_IMAGE_OPERATIONS"].flatMap { Int($0) }
    ?? TestSize.scaled(20_000)

  private static let header = ImageHeader(format: .png, width: 3, height: 2)

  private static func image(_ url: String, _ version: Int) -> CachedImage {
    // Sizes from few bytes to several pages, so that rows grow and shrink.
    let bytes = Array("\(url) \(version)".utf8) + [UInt8](repeating: 7, count: version * 37 % 9000)
    return CachedImage(
      url: url, bytes: bytes, header: header, etag: "\"\(version)\"",
      fetchedAt: Date(timeIntervalSince1970: 0), freshUntil: Date(timeIntervalSince1970: 0))
  }

  @Test("random operations match the model, and no other program ever sees more than 50 images")
  func equalsModel() async throws {
    let home = try await ImageHome()
    var model = Model()
    var generator = SeededGenerator(number: 50)
    let watched = Watch(path: home.folder.file("offers.sqlite"))
    defer { watched.stop() }
    for step in 0..<Self.operationCount {
      // Skewed, as real use is: few images have most requests.
      let share = Double.random(in: 0..<1, using: &generator)
      let url = "https://e.com/\(Int(share * share * 120)).png"
      switch Int.random(in: 0..<1000, using: &generator) {
      case 0..<600:
        let expected = model.version(of: url)
        let found = try await home.database.findImage(url)
        try #require(found == expected.map { Self.image(url, $0) }, "step \(step)")
        model.use(expected == nil ? nil : url)
      case 600..<700:
        let isHeld = try await home.database.touchImage(url)
        try #require(isHeld == (model.version(of: url) != nil), "step \(step)")
        if isHeld { model.use(url) }
      case 700..<950:
        try await home.database.putImage(Self.image(url, step))
        model.put(url, step)
      case 950..<985:
        let isFavorite = !model.favorites.contains(url)
        try await home.setFavorite(url, to: isFavorite)
        if isFavorite { model.favorites.insert(url) } else { model.favorites.remove(url) }
      case 985..<995:
        try await home.database.flushImageUses()
        model.flush()
      default:
        try await home.crash()
        model.crash()
      }
      if step % 100 == 0 {
        try await home.database.flushImageUses()
        model.flush()
        let held = try await home.database.fetchImageContents(now: Date()).images.map(\.url)
        try #require(held == model.written.reversed().map(\.url), "step \(step)")
      }
    }
    watched.stop()
    #expect(watched.most <= 50)
    #expect(watched.looks > 10)
    #expect(try home.count() == 50)
    #expect(try Store.rows(home.folder.file("offers.sqlite"), "PRAGMA integrity_check") == ["ok"])
  }

  /// Continuously counts the rows from another connection.
  private final class Watch: Sendable {
    private let seen = Mutex((most: Int.min, looks: 0, isOver: false))

    init(path: String, _ sql: String = "SELECT count(*) FROM image_cache") {
      Thread.detachNewThread { [weak self] in
        // Failed counts are ignored; the test checks that some succeeded.
        guard let other = try? DatabaseQueue(path: path) else { return }
        while let self, !self.seen.withLock({ $0.isOver }) {
          let count = try? other.read {
            try Int.fetchOne($0, sql: sql)
          }
          self.seen.withLock {
            $0.most = max($0.most, (count ?? nil) ?? .min)
            $0.looks += count == nil ? 0 : 1
          }
          usleep(2000)
        }
      }
    }

    var most: Int { seen.withLock { $0.most } }
    var looks: Int { seen.withLock { $0.looks } }
    func stop() { seen.withLock { $0.isOver = true } }
  }

  @Test("replacing images does not grow the file")
  func doesNotGrow() async throws {
    let home = try await ImageHome()
    func put(_ numbers: Range<Int>) async throws {
      for number in numbers {
        let bytes = [UInt8](repeating: UInt8(number % 256), count: 20_000)
        try await home.database.putImage(
          CachedImage(
            url: "https://e.com/\(number).png", bytes: bytes, header: Self.header,
            fetchedAt: .now, freshUntil: .now))
      }
      // An ordinary write checkpoints the log.
      try await home.database.write { _ in }
    }
    try await put(0..<150)
    let before = home.database.sqlite.file.bytes
    try await put(150..<1200)
    #expect(home.database.sqlite.file.bytes <= before)
    #expect(home.database.sqlite.file.logBytes == 0)
  }

  @Test("reads write one batch per ten thousand uses, and nothing on a read-only database")
  func seldomWrites() async throws {
    let home = try await ImageHome()
    try await home.database.putImage(Self.image("a", 1))
    let path = home.folder.file("offers.sqlite")
    let reader = try await OffersDatabase.open(path: path, access: .readOnly)
    let before = try Self.commits(path)
    for _ in 0..<2500 { _ = try await reader.findImage("a") }
    try await reader.touchImage("a")
    #expect(try Self.commits(path) == before)
    for _ in 0..<10_001 { _ = try await home.database.findImage("a") }
    try await home.database.flushImageUses()
    #expect(try await home.database.fetchImageContents(now: Date()).hits == 10_001)
    #expect(try Self.commits(path) - before == 2)
  }

  /// The number of transactions in the log: each ends with one commit frame, which holds the size
  /// of the file (https://sqlite.org/fileformat2.html#walformat).
  private static func commits(_ path: String) throws -> Int {
    let log = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path + "-wal")))
    return stride(from: 32, to: log.count, by: 24 + 8192).count {
      log[$0 + 4..<$0 + 8].contains { $0 != 0 }
    }
  }

  @Test("while one writer changes the limit, no commit of another exceeds it")
  func changesLimit() async throws {
    let home = try await ImageHome()
    let path = home.folder.file("offers.sqlite")
    let watched = Watch(
      path: path,
      "SELECT (SELECT count(*) FROM image_cache) - (SELECT image_limit FROM image_tally)")
    defer { watched.stop() }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for task in 0..<3 {
        let database = try await OffersDatabase.open(path: path)
        group.addTask {
          for number in 0..<150 {
            try await database.putImage(Self.image("\(task) \(number)", number))
          }
        }
      }
      let database = try await OffersDatabase.open(path: path)
      group.addTask {
        var generator = SeededGenerator(number: 7)
        for _ in 0..<60 {
          let limit = Int.random(in: 1...80, using: &generator)
          _ = try await database.setImageLimit(limit)
          let rows = try Store.rows(
            path,
            "SELECT (SELECT image_limit FROM image_tally), "
              + "(SELECT count(*) FROM image_cache) <= \(limit)")
          #expect(rows == ["\(limit)|1"])
        }
        _ = try await database.setImageLimit(20)
      }
      try await group.waitForAll()
    }
    watched.stop()
    #expect(watched.most <= 0)
    try await home.database.putImage(Self.image("last", 1))
    #expect(try home.count() <= 20)
    #expect(try Store.rows(path, "PRAGMA foreign_key_check") == [])
    #expect(try Store.rows(path, "PRAGMA integrity_check") == ["ok"])
  }

  @Test("setting the limit that is set already writes nothing, even on a read-only database")
  func setsSameLimit() async throws {
    let home = try await ImageHome()
    let path = home.folder.file("offers.sqlite")
    try await home.database.setImageLimit(60)
    try await home.database.putImage(Self.image("a", 1))
    let reader = try await OffersDatabase.open(path: path, access: .readOnly)
    let before = try Self.commits(path)
    #expect(try await home.database.setImageLimit(60) == 0)
    #expect(try await reader.setImageLimit(60) == 0)
    let error = await #expect(throws: OffersError.self) { try await reader.setImageLimit(61) }
    #expect(error?.code == .invalidRequest)
    #expect(try Self.commits(path) == before)
  }
}
