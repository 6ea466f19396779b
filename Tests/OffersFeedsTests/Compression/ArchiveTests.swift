import OffersCore
import OffersFeeds
import Testing

@Suite("Archives, nested compressions and other files")
struct ArchiveTests {
  private static let text = "id;name\n1;Tea\n2;Milk\n"
  private static let sizes: [[Int]] = [[], [1], [2, 3, 5], [64]]

  /// `text` in bzip2 and in xz.
  static let bzip2: [UInt8] = [
    66, 90, 104, 57, 49, 65, 89, 38, 83, 89, 0, 105, 101, 31, 0, 0, 7, 207, 0, 0, 16, 48, 8, 0,
    2, 4, 0, 38, 47, 32, 0, 49, 0, 0, 8, 154, 54, 167, 169, 234, 54, 167, 15, 117, 0, 35, 5,
    249, 218, 182, 26, 248, 187, 146, 41, 194, 132, 128, 3, 75, 40, 248,
  ]
  static let xz: [UInt8] = [
    253, 55, 122, 88, 90, 0, 0, 1, 105, 34, 222, 54, 2, 0, 33, 1, 12, 0, 0, 0, 143, 152, 65,
    156, 1, 0, 20, 105, 100, 59, 110, 97, 109, 101, 10, 49, 59, 84, 101, 97, 10, 50, 59, 77,
    105, 108, 107, 10, 0, 0, 0, 0, 202, 2, 197, 245, 0, 1, 41, 21, 43, 206, 29, 9, 144, 66, 153,
    13, 1, 0, 0, 0, 0, 1, 89, 90,
  ]

  private static func expect(
    _ document: [UInt8], gives text: String, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    for sizes in sizes {
      let run = StageRun.decompressing(document, pieceSizes: sizes)
      #expect(run.error == nil, "\(sizes)", sourceLocation: sourceLocation)
      #expect(run.text == text, "\(sizes)", sourceLocation: sourceLocation)
    }
  }

  private static func refusal(
    _ document: [UInt8], sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> OffersError {
    let run = StageRun.decompressing(document)
    for sizes in sizes {
      let pieces = StageRun.decompressing(document, pieceSizes: sizes)
      #expect(pieces.error == run.error, "\(sizes)", sourceLocation: sourceLocation)
    }
    return try #require(run.error, sourceLocation: sourceLocation)
  }

  @Test("bzip2 and xz are decompressed, also several streams", arguments: [bzip2, xz])
  func otherCompressions(packed: [UInt8]) throws {
    Self.expect(packed, gives: Self.text)
    Self.expect(packed + packed, gives: Self.text + Self.text)
    let cut = try Self.refusal(Array(packed.dropLast(4)))
    #expect(cut.message == "The compressed document ends too early.")
    var damaged = packed
    damaged[packed.count / 2] ^= 0x40
    #expect(try Self.refusal(damaged).message.contains("damaged at byte"))
  }

  @Test("a compressed document in another one is decompressed, at most three")
  func nests() throws {
    let gzip = Deflate.gzip(Array(Self.text.utf8))
    Self.expect(Deflate.gzip(gzip), gives: Self.text)
    Self.expect(Deflate.gzip(Deflate.gzip(Self.bzip2)), gives: Self.text)
    let deep = try Self.refusal(Deflate.gzip(Deflate.gzip(Deflate.gzip(gzip))))
    #expect(deep.code == .limitExceeded)
    #expect(deep.message == "The document is compressed more than 3 times.")
    // A text within a compression may begin with the bytes of zlib.
    Self.expect(Deflate.gzip(Array("x^2".utf8)), gives: "x^2")
  }

  @Test("the only document of a ZIP archive is read", arguments: [false, true], [false, true])
  func zip(isStored: Bool, isStreamed: Bool) throws {
    // Stored data does not say where it ends.
    if isStored, isStreamed { return }
    for files in [
      [("feed.csv", Self.text)], [("feed/", ""), ("feed/Products.TXT", Self.text)],
      [("README.txt", "Read"), ("feed.xml", Self.text), ("logo.jpg", "x")],
      [("__MACOSX/._feed.csv", "x"), (".DS_Store", "x"), ("export", Self.text)],
      [("info.txt", "Info"), ("feed.tsv", Self.text)],
      [("feed.tsv", Self.text), ("info.txt", "Info")],
    ] {
      let archive = ZIPArchive(files, isStored: isStored, isStreamed: isStreamed)
      Self.expect(archive.bytes, gives: Self.text)
      Self.expect(Deflate.gzip(archive.bytes), gives: Self.text)
    }
  }

  @Test(
    "a folder of a streamed archive has no data, and stored data without a size is refused by name")
  func streamedStored() throws {
    var folder = ZIPArchive([("feed/", "")], isStored: true, isStreamed: true).bytes
    folder.removeLast(22 + 46 + 5)
    let archive = folder + ZIPArchive([("feed/a.csv", Self.text)]).bytes
    Self.expect(archive, gives: Self.text)
    let stored = ZIPArchive([("a.csv", Self.text)], isStored: true, isStreamed: true)
    #expect(
      try Self.refusal(stored.bytes).message
        == "The document is a ZIP archive that does not say where its files end, not a feed.")
  }

  @Test("a table that begins like zlib is a text", arguments: ["HKD,id\n5,1\n", "X\tid\n5\t1\n"])
  func tableLikeZlib(text: String) {
    Self.expect(Array(text.utf8), gives: text)
  }

  @Test("a large text file is the document of a ZIP archive without another one")
  func largeText() {
    let text = String(repeating: Self.text, count: 20_000)
    for name in ["feed.txt", "feed.csv"] {
      let archive = ZIPArchive([(name, text), ("a.png", "x")])
      #expect(StageRun.decompressing(archive.bytes, pieceSizes: [1000]).text == text)
    }
  }

  @Test("an archive without one document is refused by name")
  func refusesArchives() throws {
    func error(_ files: [(name: String, text: String)]) throws -> OffersError {
      try Self.refusal(ZIPArchive(files).bytes)
    }
    let several = try error([("a.csv", Self.text), ("b.csv", Self.text)])
    #expect(several.message == "The ZIP archive has several documents: a.csv, b.csv.")
    #expect(several.code == .malformedFeed)
    let texts = try error([("a.txt", Self.text), ("b.txt", Self.text)])
    #expect(texts.message == "The ZIP archive has several documents: a.txt, b.txt.")
    let none = try error([("a.jpg", "x"), ("b.jpg", "y")])
    #expect(
      none.message == "The ZIP archive has no document of a feed in it. It has a.jpg, b.jpg.")
    let book = try error([("[Content_Types].xml", "x"), ("xl/workbook.xml", "x")])
    #expect(book.message == "The document is a workbook (.xlsx), not a feed.")
    #expect(book.hint?.text.contains("CSV") == true)
    let sheet = try error([("mimetype", "x")])
    #expect(sheet.message.contains("an OpenDocument file, such as a workbook (.ods)"))
    #expect(sheet.hint == book.hint)
    #expect(try Self.refusal([0x50, 0x4B, 5, 6]).message.contains("an empty ZIP archive"))
  }

  @Test("a damaged or cut off archive is refused")
  func refusesDamage() throws {
    let archive = ZIPArchive([("feed.csv", Self.text)], isStored: true).bytes
    for count in 4..<(archive.count - 72) {
      let run = StageRun.decompressing(Array(archive.prefix(count)))
      #expect(run.error?.message == "The compressed document ends too early.", "\(count)")
    }
    var damaged = archive
    damaged[45] ^= 1
    #expect(try Self.refusal(damaged).message.contains("damaged at byte"))
    var locked = archive
    locked[6] |= 1
    #expect(try Self.refusal(locked).message.contains("a ZIP archive with a password"))
  }

  @Test("each compression, and an entry that is passed over, ends at the limit")
  func obeysLimit() throws {
    let zeros = [UInt8](repeating: 0x61, count: 3 << 20)
    let text = String(decoding: zeros, as: UTF8.self)
    for packed in [
      Deflate.gzip(Deflate.gzip(zeros)), ZIPArchive([("a.csv", text)]).bytes,
      ZIPArchive([("a.jpg", text), ("b.csv", "x")], isStreamed: true).bytes,
      Self.bzip2, Self.xz,
    ] {
      let limit = packed.count < 200 ? 10 : 1 << 20
      let run = StageRun.decompressing(packed, limitBytes: limit)
      #expect(run.error?.code == .limitExceeded)
      #expect(run.bytes.count <= limit)
    }
  }

  @Test(
    "other files are named",
    arguments: [
      ("%PDF-1.4\n", "a PDF"), ("SQLite format 3\u{0}", "an SQLite database"),
      ("GIF89a", "an image (GIF)"), ("PAR1", "a Parquet file"),
      ("products.csv" + String(repeating: "\u{0}", count: 88), "an archive (tar)"),
    ])
  func namesFiles(start: String, name: String) throws {
    let error = try Self.refusal(Array(start.utf8))
    #expect(error.code == .malformedFeed)
    #expect(error.message == "The document is \(name), not a feed.")
    #expect(error.hint?.text.hasPrefix("Nothing was changed.") == true)
    #expect(try Self.refusal(Deflate.gzip(Array(start.utf8))).message == error.message)
  }

  @Test("binary files are named")
  func namesBinaries() throws {
    let kinds: [([UInt8], String)] = [
      ([0x89, 0x50, 0x4E, 0x47, 0x0D], "an image (PNG)"),
      ([0xFF, 0xD8, 0xFF, 0xE0], "an image (JPEG)"),
      ([0x37, 0x7A, 0xBC, 0xAF, 0x27, 0x1C], "a 7-Zip archive"),
      ([0x28, 0xB5, 0x2F, 0xFD, 0], "a file in Zstandard, a compression that is not read"),
      ([0x5D, 0, 0, 0x80, 0], "a file in LZMA (.lzma), a compression that is not read"),
      (
        [0xD0, 0xCF, 0x11, 0xE0, 0xA1, 0xB1, 0x1A, 0xE1],
        "an old Office file, such as a workbook (.xls)"
      ),
    ]
    for (start, name) in kinds {
      #expect(try Self.refusal(start).message == "The document is \(name), not a feed.")
    }
    // The start of a signature alone is a text.
    for text in ["PK", "BZ", "%PDF", "Rar", "GIF"] { Self.expect(Array(text.utf8), gives: text) }
  }
}
