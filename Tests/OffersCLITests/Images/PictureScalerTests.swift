import Foundation
import OffersCore
import OffersTestSupport
import Testing
import ZLib

@testable import ChildProcesses
@testable import OffersCLI

@Suite("Smaller copies of pictures")
struct PictureScalerTests {
  private let scaler = PictureScaler(path: OffersProgram.path, seconds: 60)

  private static func image(_ bytes: [UInt8]) throws -> CachedImage {
    CachedImage(
      url: "https://x.example/1", bytes: bytes, header: try ImageHeader(reading: bytes),
      fetchedAt: Date(timeIntervalSince1970: 0), freshUntil: Date(timeIntervalSince1970: 0))
  }

  /// A picture of squares of eight pixels in different colors, with four bytes each if it can be transparent.
  private static func png(
    _ width: Int, _ height: Int, alpha: UInt8? = nil, isPlain: Bool = false
  ) throws -> [UInt8] {
    let pixelBytes = alpha == nil ? 3 : 4
    var row = [UInt8](repeating: 0, count: 1 + width * pixelBytes)
    var rows: [UInt8] = []
    rows.reserveCapacity(row.count * height)
    for y in 0..<height {
      for x in 0..<(isPlain || y % 8 != 0 ? 0 : width) {
        let place = 1 + x * pixelBytes
        row[place] = UInt8(truncatingIfNeeded: x / 8)
        row[place + 1] = UInt8(truncatingIfNeeded: y / 8)
        if let alpha { row[place + 3] = alpha }
      }
      rows += row
    }
    var count = compressBound(uLong(rows.count))
    var packed = [UInt8](repeating: 0, count: Int(count))
    #expect(compress2(&packed, &count, rows, uLong(rows.count), 1) == Z_OK)
    var png = TinyImage.png(width: width, height: height, filling: Array(packed.prefix(Int(count))))
    if alpha == nil { png = TinyImage.opaque(png) }
    return png
  }

  /// An animation of two images of one color each.
  private static func animation(_ width: Int, _ height: Int) -> [UInt8] {
    var gif = Array("GIF89a".utf8) + TinyImage.little(width, 2) + TinyImage.little(height, 2)
    gif += [0x81, 0, 0, 255, 0, 0, 0, 255, 0, 0, 0, 255, 9, 9, 9]
    for color in [0, 1] as [UInt8] {
      gif += [0x21, 0xF9, 4, 0, 10, 0, 0, 0, 0x2C, 0, 0, 0, 0]
      gif += TinyImage.little(width, 2) + TinyImage.little(height, 2) + [0, 2]
      // A clear code before every two pixels, so that codes stay three bits long.
      var codes: [UInt8] = []
      for _ in 0..<((width * height + 1) / 2) { codes += [4, color, color] }
      codes.append(5)
      var bytes: [UInt8] = []
      var (bits, count) = (0, 0)
      for code in codes {
        bits |= Int(code) << count
        count += 3
        if count >= 8 {
          bytes.append(UInt8(truncatingIfNeeded: bits))
          (bits, count) = (bits >> 8, count - 8)
        }
      }
      bytes.append(UInt8(truncatingIfNeeded: bits))
      for start in stride(from: 0, to: bytes.count, by: 255) {
        let block = bytes[start..<min(start + 255, bytes.count)]
        gif += [UInt8(block.count)] + block
      }
      gif.append(0)
    }
    return gif + [0x3B]
  }

  private func copy(
    _ bytes: [UInt8], width: Int = 480
  ) async throws -> (header: ImageHeader, bytes: [UInt8]) {
    let copy = try #require(try await scaler.copy(of: try Self.image(bytes), width: width))
    return (try ImageHeader(reading: copy.bytes), copy.bytes)
  }

  @Test("a photograph of 4000 pixels becomes a JPEG of 480 pixels in the same shape")
  func photograph() async throws {
    let photograph = try Self.png(4000, 1000)
    let (header, bytes) = try await copy(photograph)
    #expect(header == ImageHeader(format: .jpeg, width: 480, height: 120))
    #expect(bytes.count < 40_000)
    let tall = try await copy(try Self.png(500, 9000)).header
    #expect(tall.width == 107)
    #expect(tall.height == 1920)
    // A JPEG of the width of a list keeps its size.
    #expect(try await copy(bytes).header == header)
  }

  @Test("a photograph that a camera took upright keeps its width when it is turned")
  func upright() async throws {
    let lying = try await copy(try Self.png(1920, 480), width: 960).bytes
    // EXIF with one tag: the orientation 6, a quarter turn.
    let exif: [UInt8] =
      Array("Exif".utf8) + [0, 0] + Array("II*".utf8) + [0, 8, 0, 0, 0]
      + [1, 0, 0x12, 1, 3, 0, 1, 0, 0, 0, 6, 0, 0, 0, 0, 0, 0, 0]
    let photograph =
      lying.prefix(2) + [0xFF, 0xE1, 0, UInt8(exif.count + 2)] + exif + lying.dropFirst(2)
    for width in [128, 256] {
      let header = try await copy(Array(photograph), width: width).header
      #expect(header == ImageHeader(format: .jpeg, width: min(width, 240), height: header.height))
      #expect(header.height == min(960, 4 * width))
    }
  }

  @Test("the colors of a picture are those of its thirds, and white where it is transparent")
  func colors() async throws {
    let dark = try Self.image(try Self.png(960, 90, isPlain: true))
    let black = try #require(try await scaler.copy(of: dark, width: 480))
    #expect(black.colors.storedText == "000000 000000 000000")
    let clear = try Self.image(try Self.png(960, 90, alpha: 0, isPlain: true))
    let white = try #require(try await scaler.copy(of: clear, width: 480))
    #expect(white.colors.storedText == "ffffff ffffff ffffff")
  }

  @Test(
    "a picture that is transparent in part stays so, as a PNG; one that could be becomes a JPEG")
  func transparency() async throws {
    #expect(
      try await copy(try Self.png(960, 40, alpha: 128)).header
        == ImageHeader(format: .png, width: 480, height: 20))
    #expect(
      try await copy(try Self.png(960, 40, alpha: 255)).header
        == ImageHeader(format: .jpeg, width: 480, height: 20))
  }

  @Test("of an animation the first image is copied")
  func animation() async throws {
    let (header, bytes) = try await copy(Self.animation(960, 10))
    #expect(header == ImageHeader(format: .jpeg, width: 480, height: 5))
    #expect(bytes.count < 2000)
  }

  @Test("a picture that takes too much memory is refused, and so is a damaged one")
  func refusals() async throws {
    // 200 kB, and 196 MB when it is decoded.
    let bomb = try Self.image(try Self.png(7000, 7000, alpha: 0, isPlain: true))
    #expect(bomb.bytes.count < 1_000_000)
    let bounded = PictureScaler(
      path: OffersProgram.path, memoryKilobytes: 300_000, seconds: 60)
    let damaged = try Self.image(TinyImage.jpeg(width: 4000, height: 2))
    for (scaler, image) in [(bounded, bomb), (scaler, damaged)] {
      let error = await #expect(throws: OffersError.self) {
        try await scaler.copy(of: image, width: 480)
      }
      #expect(error?.code == .malformedImage)
    }
  }

  @Test("a truncated JPEG and an SVG are no images, so that none is copied")
  func noImages() async throws {
    let jpeg = try await copy(try Self.png(600, 600)).bytes
    for bytes in [Array(jpeg.prefix(jpeg.count / 2)), Array("<svg/>".utf8)] {
      let error = #expect(throws: OffersError.self) { try ImageHeader(reading: bytes) }
      #expect(error?.code == .malformedImage)
    }
    // With an end that it should not have yet, it passes for a whole one. The library fills up the rest.
    let cut = Array(jpeg.prefix(jpeg.count / 2)) + [0xFF, 0xD9]
    let copy = try await scaler.copy(of: try Self.image(cut), width: 480)
    #expect(try ImageHeader(reading: try #require(copy).bytes).width == 480)
  }

  @Test("a format that no library on this system decodes is left as it is")
  func unknownFormat() async throws {
    let avif = try Self.image(TinyImage.avif(width: 900, height: 9))
    #expect(try await PictureScaler(path: "/bin/false").copy(of: avif, width: 480) == nil)
    #expect(try await PictureScaler(path: "/nowhere").copy(of: avif, width: 480) == nil)
  }

  @Test("a program with bounds ends in time, and prints no more than it may")
  func bounds() async throws {
    let shell = BoundedProgram("/bin/sh", memoryKilobytes: 100_000, outputBytes: 10, seconds: 1)
    #expect(try shell.output(["-c", "cat"], input: [1, 2, 3]) == [1, 2, 3])
    #expect(try shell.output(["-c", "while :; do :; done"]) == nil)
    #expect(try shell.output(["-c", "exec sleep 60"]) == nil)
    #expect(try shell.output(["-c", "echo 12345678901"]) == nil)
    #expect(try shell.output(["-c", "echo partly; exit 1"]) == nil)
    setenv("OFFERS_TEST_SECRET", "secret", 1)
    defer { unsetenv("OFFERS_TEST_SECRET") }
    #expect(try shell.output(["-c", "echo $OFFERS_TEST_SECRET"]) == [0x0A])
  }
}
