import OffersCore
import OffersTestSupport
import Testing

@Suite("Image headers")
struct ImageHeaderTests {
  private static func reason(_ bytes: [UInt8]) -> String? {
    do {
      _ = try ImageHeader(reading: bytes)
      return nil
    } catch {
      return error.message
    }
  }

  @Test("format and size are read from a file of each format", arguments: TinyImage.names)
  func reads(name: String) throws {
    for (width, height) in [(1, 1), (3, 2), (640, 480), (5000, 10_000)] {
      let header = try ImageHeader(reading: TinyImage.make(name, width: width, height: height))
      #expect(header.format.rawValue == name.prefix { $0 != " " })
      #expect((header.width, header.height) == (width, height))
    }
  }

  @Test("an image of more than 50 megapixels is refused", arguments: TinyImage.names)
  func refusesManyPixels(name: String) {
    let reason = Self.reason(TinyImage.make(name, width: 7072, height: 7072))
    #expect(reason?.hasSuffix("of 7072 × 7072 pixels, more than 50 megapixels") == true)
    #expect(Self.reason(TinyImage.make(name, width: 10_000, height: 5000)) == nil)
  }

  @Test("a size whose product would overflow is refused", arguments: ["png", "avif"])
  func refusesHugeSides(name: String) {
    #expect(Self.reason(TinyImage.make(name, width: 0xFFFF_FFFF, height: 0xFFFF_FFFF)) != nil)
    #expect(Self.reason(TinyImage.make(name, width: 0x7FFF_FFFF, height: 0x7FFF_FFFF)) != nil)
    #expect(Self.reason(TinyImage.make(name, width: 0, height: 5)) != nil)
  }

  @Test("a file of more than 5 MiB is refused, one of exactly 5 MiB is not")
  func refusesManyBytes() {
    let small = TinyImage.png(filling: [])
    let filling = [UInt8](repeating: 7, count: (5 << 20) - small.count)
    #expect(Self.reason(TinyImage.png(filling: filling)) == nil)
    #expect(Self.reason(TinyImage.png(filling: filling + [0])) == "has more than 5 MiB")
  }

  @Test("a file truncated at any byte is refused", arguments: TinyImage.names)
  func refusesCuts(name: String) {
    let whole = TinyImage.make(name)
    // A GIF may end after its first frame.
    let needed = name == "gif" ? whole.count - 1 : whole.count
    for length in 0..<needed {
      #expect(Self.reason(Array(whole.prefix(length))) != nil, "\(length) of \(whole.count)")
    }
  }

  @Test(
    "a corrupted file is refused or keeps its format",
    arguments: TinyImage.names)
  func survivesChanges(name: String) {
    let whole = TinyImage.make(name)
    let format = ImageFormat(rawValue: String(name.prefix { $0 != " " }))
    var generator = SeededGenerator(seed: 5)
    for place in whole.indices {
      for value: UInt8 in [
        0, 1, 0x7F, 0x80, 0xFF, whole[place] ^ 1, .random(in: 0...255, using: &generator),
      ] {
        var bytes = whole
        bytes[place] = value
        guard let header = try? ImageHeader(reading: bytes) else { continue }
        #expect(header.format == format)
        #expect(header.width > 0 && header.height > 0)
        #expect(header.width * header.height <= 50_000_000)
      }
    }
  }

  @Test("random bytes after a valid signature crash nothing", arguments: TinyImage.names)
  func survivesNoise(name: String) {
    var generator = SeededGenerator(seed: 9)
    for length in 0..<300 {
      let noise = (0..<length).map { _ in UInt8.random(in: 0...255, using: &generator) }
      _ = Self.reason(Array(TinyImage.make(name).prefix(12 + length % 24)) + noise)
    }
  }

  @Test(
    "a file that is not an image is refused with a description of what it is",
    arguments: [
      ("", "is empty"), ("<!DOCTYPE html><html></html>", "is a web page"),
      ("\u{FEFF} \n<HTML><body>", "is a web page"),
      (
        "<?xml version=\"1.0\"?><svg xmlns=\"x\"/>",
        "is an SVG, which may contain scripts and is not supported"
      ),
      (
        "<svg onload=\"x\"><title>a</title></svg>",
        "is an SVG, which may contain scripts and is not supported"
      ),
      ("<rss/>", "is XML"), ("{\"error\":1}", "is JSON"), ("  [1]", "is JSON"),
      ("%PDF-1.7", "is a PDF"), ("BM123456", "is a BMP, which is not supported"),
      ("Not found", "is not an image of a supported format"),
      (
        "\u{0}\u{0}\u{0}\u{18}ftypmp42\u{0}\u{0}\u{0}\u{0}isom",
        "is a video or a HEIF, which is not supported"
      ),
      ("GIF88a", "is not an image of a supported format"),
      ("RIFF\u{4}\u{0}\u{0}\u{0}WAVE", "is not an image of a supported format"),
      ("GIF89a<script>", "is a damaged or truncated GIF"),
    ])
  func refuses(text: String, expected: String) {
    #expect(Self.reason(Array(text.utf8)) == expected)
  }

  @Test("an image with the signature of another format is refused")
  func refusesLies() {
    let png = TinyImage.png()
    for name in TinyImage.names where name != "png" {
      let other = TinyImage.make(name)
      #expect(Self.reason(Array(png.prefix(8)) + other.dropFirst(8)) != nil)
      #expect(Self.reason(Array(other.prefix(12)) + png.dropFirst(12)) != nil)
    }
  }

  @Test("a WebP has the declared length, except for one byte of padding")
  func refusesTrailingWebP() {
    for name in TinyImage.names where name.hasPrefix("webp") {
      var bytes = TinyImage.make(name)
      #expect(Self.reason(bytes + [0]) == "is a damaged or truncated WebP")
      #expect(Self.reason(bytes + bytes) == "is a damaged or truncated WebP")
      // A further chunk of one byte, with and without its padding.
      bytes += Array("EXIF".utf8) + [1, 0, 0, 0, 7]
      bytes[4] += 9
      #expect(Self.reason(bytes) == nil)
      #expect(Self.reason(bytes + [0]) == nil)
      #expect(Self.reason(bytes + [0, 0]) == "is a damaged or truncated WebP")
    }
  }

  @Test("a JPEG may have fill bytes, progressive frames and trailing bytes")
  func takesOddJPEGs() throws {
    var bytes = TinyImage.jpeg(width: 3, height: 2) + [0, 1, 2]
    bytes[9] = 0xC2
    bytes.insert(0xFF, at: 8)
    let header = try ImageHeader(reading: bytes)
    #expect((header.width, header.height) == (3, 2))
  }
}
