import Foundation
import OffersCore
import OffersSQLite

/// Measures the tasks of the image repository, one after another, in a process that does nothing
/// else, and reads the same images from files for comparison.
struct ImageWork {
  static let hits = "hit"
  static let puts = "put and evict"
  static let files = "read a file"
  static let imageBytes = 20_000
  private static let images = ImageCacheLimits.defaultImages

  let folder: String
  let seconds: Double

  private var path: String { folder + "/offers.sqlite" }

  /// Prints a line for each task, with its name and its rates, and a line for each count.
  func run() async throws {
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    try removeFiles(at: path)
    let database = try await OffersDatabase.open(path: path)
    var pictures = Pictures()
    for _ in 0..<Self.images { try await database.putImage(pictures.next()) }
    try await measureHits(database)
    try await measurePuts(database, &pictures)
    try measureFiles()
    try removeFiles(at: path)
  }

  private func measureHits(_ database: OffersDatabase) async throws {
    var choice = Choice()
    try await report(Self.hits) {
      guard try await database.findImage(Pictures.url(choice.next(Self.images))) != nil else {
        throw BenchmarkError(description: "an image is missing")
      }
    }
    try await database.flushImageUses()
    let before = try WriteLog(path: path)
    for _ in 0..<10_000 {
      _ = try await database.findImage(Pictures.url(choice.next(Self.images)))
    }
    try await database.flushImageUses()
    let after = try WriteLog(path: path)
    print("transactions\t\(after.transactions - before.transactions)")
  }

  private func measurePuts(_ database: OffersDatabase, _ pictures: inout Pictures) async throws {
    func evict(_ count: Int) async throws -> Int {
      for _ in 0..<count { try await database.putImage(pictures.next()) }
      // An ordinary write checkpoints the log, even if it changes nothing, so that `fileBytes`
      // includes the images.
      _ = try await database.setFavorites(named: [], to: true)
      return try fileBytes()
    }
    let few = try await evict(100)
    let before = try WriteLog(path: path)
    for _ in 0..<20 { try await database.putImage(pictures.next()) }
    let pages = Double(try WriteLog(path: path).frames - before.frames) / 20
    try await report(Self.puts) { try await database.putImage(pictures.next()) }
    let many = try await evict(10_000)
    print("pages\t\(pages)\nfew\t\(few)\nmany\t\(many)")
  }

  private func measureFiles() throws {
    var pictures = Pictures()
    let paths = (0..<Self.images).map { "\(folder)/\($0).png" }
    for path in paths { try Data(pictures.next().bytes).write(to: URL(fileURLWithPath: path)) }
    var choice = Choice()
    let meter = Meter()
    var count = 0
    repeat {
      for _ in 0..<16 {
        let descriptor = open(paths[choice.next(paths.count)], O_RDONLY)
        var information = stat()
        guard descriptor >= 0, fstat(descriptor, &information) == 0 else {
          throw BenchmarkError(description: "a file is missing")
        }
        let size = Int(information.st_size)
        let bytes = [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
          count = read(descriptor, buffer.baseAddress, size)
        }
        close(descriptor)
        guard bytes.count == Self.imageBytes else {
          throw BenchmarkError(description: "a file is incomplete")
        }
        count += 1
      }
    } while meter.seconds < seconds
    meter.print(Self.files, count)
    for path in paths { try FileManager.default.removeItem(atPath: path) }
  }

  /// Repeats a task for at least `seconds`, and prints its rates.
  private func report(_ name: String, _ body: () async throws -> Void) async throws {
    let meter = Meter()
    var count = 0
    repeat {
      for _ in 0..<16 { try await body() }
      count += 16
    } while meter.seconds < seconds
    meter.print(name, count)
  }

  private func fileBytes() throws -> Int {
    let attributes = try FileManager.default.attributesOfItem(atPath: path)
    return (attributes[.size] as? Int) ?? 0
  }
}

/// Measures the wall-clock time and this process's CPU time since its creation.
private struct Meter {
  private let begun = ContinuousClock.now
  private let processorBegun = Self.processorSeconds

  var seconds: Double { (ContinuousClock.now - begun) / .seconds(1) }

  private static var processorSeconds: Double {
    var usage = rusage()
    getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
    func seconds(_ time: timeval) -> Double { Double(time.tv_sec) + Double(time.tv_usec) / 1e6 }
    return seconds(usage.ru_utime) + seconds(usage.ru_stime)
  }

  func print(_ name: String, _ count: Int) {
    let processor = max(Self.processorSeconds - processorBegun, 1e-6)
    Swift.print("\(name)\t\(Double(count) / seconds)\t\(Double(count) / processor)")
  }
}

/// Generates images that are all different.
private struct Pictures {
  private var count = 0
  private var bytes: [UInt8]
  private var random = Choice()

  init() {
    var random = Choice()
    bytes = (0..<ImageWork.imageBytes).map { _ in UInt8(truncatingIfNeeded: random.number()) }
  }

  static func url(_ number: Int) -> String {
    // All URLs have the same length, as in the C program.
    let name = String(1 << 32 + number * 2_654_435_761 % (1 << 32), radix: 16).dropFirst()
    return "https://product-images.example-cdn.com/\(name)/offer.png"
  }

  mutating func next() -> CachedImage {
    for place in stride(from: 0, to: bytes.count, by: 512) {
      bytes[place] ^= UInt8(truncatingIfNeeded: random.number())
    }
    defer { count += 1 }
    return CachedImage(
      url: Self.url(count), bytes: bytes,
      header: ImageHeader(format: .png, width: 200, height: 200),
      fetchedAt: Date(timeIntervalSince1970: 1_800_000_000),
      freshUntil: Date(timeIntervalSince1970: 1_800_086_400))
  }
}

/// A deterministic random generator, the same on every machine.
private struct Choice {
  private var state: UInt64 = 88_172_645_463_325_252

  mutating func number() -> UInt64 {
    state ^= state << 13
    state ^= state >> 7
    state ^= state << 17
    return state >> 33
  }

  /// Returns a number from 0 up to a bound, exclusive. Low numbers are more frequent than high
  /// ones, since a few images get most requests.
  mutating func next(_ bound: Int) -> Int {
    let share = Double(number() % 1_000_000 + 1) / 1e6
    return min(bound - 1, Int(Double(bound) * share * share * share))
  }
}

/// Counts the frames (pages) and transactions in SQLite's write-ahead log
/// (https://sqlite.org/fileformat2.html#walformat).
private struct WriteLog {
  private(set) var transactions = 0
  private(set) var frames = 0

  init(path: String) throws {
    let log = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path + "-wal")))
    func number(_ place: Int) -> Int { log[place..<place + 4].reduce(0) { $0 << 8 | Int($1) } }
    guard log.count > 32 else { return }
    let pageSize = number(8)
    for frame in stride(from: 32, through: log.count - 24 - pageSize, by: 24 + pageSize)
    // The salt changes when the log is written from its start again. Frames with another salt than
    // the log's header are leftovers, and are not counted.
    where log[frame + 8..<frame + 16] == log[16..<24] {
      frames += 1
      // The last frame of a transaction stores the size of the database in pages; other frames
      // store 0.
      if number(frame + 4) > 0 { transactions += 1 }
    }
  }
}
