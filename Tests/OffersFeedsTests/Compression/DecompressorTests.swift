import OffersCore
import OffersFeeds
import OffersTestSupport
import Testing

@Suite("Compressed documents")
struct DecompressorTests {
  private static let document = Array(
    (0..<200).map { #"{"id":"\#($0)","name":"Ben & Jerry's® \#($0 * 7919)"}"# }
      .joined(separator: ",\n").utf8)
  private static let sizes: [[Int]] = [[], [1], [2, 3, 5], [64], [1000]]

  private static func numbers(seed: UInt64, count: Int) -> [UInt8] {
    var random = SeededGenerator(seed: seed)
    return (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
  }

  @Test("each compression format is detected and decompressed", arguments: [0, 1, 40, 300, 20_000])
  func unpacks(count: Int) {
    let bytes = Array((Self.document + Self.document).prefix(count))
    let packed: [([UInt8], Bool)] = [
      (Deflate.gzip(bytes), false), (Deflate.gzip(bytes), true), (Deflate.zlib(bytes), false),
      (Deflate.zlib(bytes), true), (Deflate.zlib(bytes, windowBits: 9), false),
      (Deflate.raw(bytes), true), (Deflate.raw(bytes, level: 0), true),
    ]
    for (document, isRaw) in packed {
      for sizes in Self.sizes {
        let stage = Decompressor(limitBytes: 1 << 20, isRawDeflate: isRaw)
        let run = StageRun(
          document, pieceSizes: sizes, consume: { try stage.consume($0, $1) },
          finish: { try stage.finish($0) })
        #expect(run == StageRun.decompressing(bytes), "\(document.prefix(4)) \(sizes)")
        #expect(stage.isCompressed)
      }
    }
  }

  @Test(
    "an uncompressed document passes unchanged, even if the server declared a compression",
    arguments: [
      "", "{", "[]", "[1]", "<?xml?>", "\u{FEFF}{}", " \r\n\t[]", "\n", "8", "80 apples", "80",
      "x", "xml", "H", "{\"a\":\"é\"}", "[" + String(repeating: "1,", count: 100) + "2]",
    ])
  func passesPlainText(text: String) {
    let isDeflateAnnounced = text.isEmpty || " \n{[<\u{FEFF}".contains(text.prefix(1))
    for isRaw in isDeflateAnnounced ? [false, true] : [false] {
      for sizes in Self.sizes {
        let run = StageRun.decompressing(
          Array(text.utf8), limitBytes: 1, isRawDeflate: isRaw, pieceSizes: sizes)
        #expect(run.error == nil)
        #expect(run.text == text)
      }
    }
  }

  @Test("UTF-16 passes unchanged if the server declared deflate")
  func passesUTF16() {
    let marked: [UInt8] = [0xFF, 0xFE] + "[1]".utf8.flatMap { [$0, 0] }
    let bare: [UInt8] = "<a>é</a>".utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
    for document in [marked, bare, [0xFE, 0xFF, 0, 0x5B]] {
      for sizes in Self.sizes {
        let run = StageRun.decompressing(document, isRawDeflate: true, pieceSizes: sizes)
        #expect(run == StageRun.decompressing(document))
        #expect(run.bytes == document)
      }
    }
  }

  @Test("an uncompressed chunk is passed on without copying")
  func passesWithoutCopying() throws {
    let stage = Decompressor(limitBytes: 10)
    try Self.document.withUnsafeBytes { bytes in
      try stage.consume(bytes) { #expect($0.baseAddress == bytes.baseAddress) }
    }
    #expect(!stage.isCompressed)
  }

  @Test("several gzip members are decompressed, and zero padding may follow them")
  func readsMembers() {
    let halves = [Array(Self.document.prefix(700)), Array(Self.document.dropFirst(700))]
    let members = halves.flatMap { Deflate.gzip($0) }
    for sizes in Self.sizes {
      #expect(StageRun.decompressing(members, pieceSizes: sizes).bytes == Self.document)
      let padded = members + [UInt8](repeating: 0, count: 1500)
      let run = StageRun.decompressing(padded, pieceSizes: sizes)
      #expect(run.error == nil)
      #expect(run.bytes == Self.document)
    }
  }

  @Test("other bytes after the last member are refused as damage")
  func refusesTrailingBytes() {
    let zlib = Deflate.zlib(Self.document)
    for document in [zlib + [0x61], Deflate.gzip(Self.document) + [0, 0, 0x1F, 0x8B], zlib + zlib] {
      for sizes in Self.sizes {
        let run = StageRun.decompressing(document, pieceSizes: sizes)
        #expect(run.error?.code == .malformedFeed)
        #expect(run.error?.message.contains("damaged at byte") == true)
      }
    }
  }

  @Test("a document that is cut off anywhere is refused as incomplete")
  func refusesTruncation() {
    let bytes = Array(Self.document.prefix(300))
    for (packed, isRaw, least) in [
      (Deflate.gzip(bytes), false, 1), (Deflate.zlib(bytes), false, 2),
      (Deflate.raw(bytes), true, 1),
    ] {
      for count in least..<packed.count {
        for sizes in [[], [1]] {
          let run = StageRun.decompressing(
            Array(packed.prefix(count)), isRawDeflate: isRaw, pieceSizes: sizes)
          #expect(run.error?.code == .malformedFeed)
          #expect(run.error?.message == "The compressed document ends too early.", "\(count)")
          #expect(run.error?.hint?.text.hasPrefix("Nothing was changed.") == true)
        }
      }
    }
  }

  @Test("a flipped bit is reported as damage with its position")
  func refusesDamage() throws {
    var packed = Deflate.gzip(Self.document)
    packed[packed.count - 8] ^= 1
    let error = try #require(StageRun.decompressing(packed).error)
    #expect(error.code == .malformedFeed)
    #expect(error.message == "The compressed document is damaged at byte \(packed.count - 4).")
    #expect(error.hint?.text.hasPrefix("Nothing was changed.") == true)
  }

  @Test("a document may decompress to exactly the limit")
  func obeysLimit() throws {
    let bytes = [UInt8](repeating: 0x61, count: 3 << 20)
    for packed in [Deflate.gzip(bytes), Deflate.zlib(bytes)] {
      for sizes in Self.sizes {
        let fits = StageRun.decompressing(packed, limitBytes: bytes.count, pieceSizes: sizes)
        #expect(fits.error == nil)
        #expect(fits.bytes == bytes)
        let run = StageRun.decompressing(packed, limitBytes: bytes.count - 1, pieceSizes: sizes)
        let error = try #require(run.error)
        #expect(error.code == .limitExceeded)
        #expect(error.message == "The document decompresses to more than \(bytes.count - 1) bytes.")
        #expect(run.bytes.count == bytes.count - 1)
      }
    }
  }

  @Test("chunks of output are at most 256 KiB, whatever the compression ratio")
  func boundsPieces() throws {
    let packed = Deflate.gzip([UInt8](repeating: 0x20, count: 5 << 20))
    let stage = Decompressor(limitBytes: 1 << 30)
    var largest = 0
    try packed.withUnsafeBytes { bytes in
      try stage.consume(bytes) { largest = max(largest, $0.count) }
    }
    #expect(largest == 256 << 10)
  }

  @Test("an error of the receiver is passed on")
  func passesErrorsOn() {
    struct Stop: Error {}
    for document in [Self.document, Deflate.gzip(Self.document)] {
      let stage = Decompressor(limitBytes: 1 << 30)
      #expect(throws: Stop.self) {
        try document.withUnsafeBytes { try stage.consume($0) { _ in throw Stop() } }
      }
    }
  }

  @Test("damaged documents give output or an error, however they are divided into chunks")
  func survivesNoise() {
    var random = SeededGenerator(number: 11)
    var refusedCount = 0
    let small = Array(Self.document.prefix(400))
    let seeds = [
      Deflate.gzip(small), Deflate.zlib(small), Deflate.raw(small),
      Deflate.gzip(Self.numbers(seed: 1, count: 200)) + Deflate.gzip(small),
    ]
    let count = TestSize.scaled(10_000)
    for round in 0..<count {
      let isNoise = round % 5 == 4
      var bytes =
        isNoise
        ? (0..<Int.random(in: 0...100, using: &random)).map { _ in
          UInt8.random(in: 0...255, using: &random)
        } : seeds[round % 5]
      for _ in 0..<Int.random(in: 1...3, using: &random) where !bytes.isEmpty {
        let place = Int.random(in: 0..<bytes.count, using: &random)
        bytes[place] = UInt8.random(in: 0...255, using: &random)
      }
      let isRaw = Bool.random(using: &random)
      let sizes = (0..<3).map { _ in Int.random(in: 1...40, using: &random) }
      let whole = StageRun.decompressing(bytes, limitBytes: 10_000, isRawDeflate: isRaw)
      let pieces = StageRun.decompressing(
        bytes, limitBytes: 10_000, isRawDeflate: isRaw, pieceSizes: sizes)
      #expect(pieces == whole, "round \(round), pieces \(sizes)")
      if whole.error != nil { refusedCount += 1 }
    }
    #expect(refusedCount > count / 10)
    #expect(refusedCount < count * 99 / 100)
  }
}
