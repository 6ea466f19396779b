import Foundation
import OffersCore
import OffersSQLite
import OffersTestSupport
import Testing

@testable import OffersSync

@Suite("Images collected from real feeds", .enabled(if: SharedFiles.folder("images") != nil))
struct SharedImageTests {
  struct Expectation: CustomTestStringConvertible, Sendable {
    let file: String
    /// Nil for a file that is refused.
    let format: ImageFormat?
    var testDescription: String { file }
  }

  static let files = [
    Expectation(file: "extended.webp", format: .webp),
    Expectation(file: "lossless.webp", format: .webp),
    Expectation(file: "lossy.webp", format: .webp),
    Expectation(file: "progressive.jpg", format: .jpeg),
    Expectation(file: "sample.avif", format: .avif),
    Expectation(file: "sample.gif", format: .gif),
    Expectation(file: "sample.jpg", format: .jpeg),
    Expectation(file: "sample.png", format: .png),
    Expectation(file: "viewbox.svg", format: nil),
  ]

  private static func bytes(_ file: String) throws -> [UInt8] {
    let folder = try #require(SharedFiles.folder("images"))
    return [UInt8](try Data(contentsOf: folder.appendingPathComponent(file)))
  }

  private static func answer(_ bytes: [UInt8], type: String) -> SimulatedAnswer {
    var answer = SimulatedAnswer(200, [("Content-Type", type)])
    answer.bytes = bytes
    return answer
  }

  @Test("the list names every file of the folder")
  func namesAll() throws {
    let folder = try #require(SharedFiles.folder("images"))
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
    #expect(Set(names) == Set(Self.files.map(\.file)))
  }

  @Test("each image is stored with its format, or refused with a reason", arguments: files)
  func lands(expectation: Expectation) async throws {
    let home = try await FetchHome()
    let bytes = try Self.bytes(expectation.file)
    // Servers declare wrong types; the type must not matter.
    home.web.answer { _ in Self.answer(bytes, type: "image/x-other") }
    let loader = ImageLoader(images: home.database, transport: home.web) { home.now }
    let url = "https://e.com/\(expectation.file)"
    if let format = expectation.format {
      let image = try await loader.image(at: url)
      #expect(image.header.format == format)
      #expect(image.header.width > 1 && image.header.height > 1)
      #expect(image.bytes == bytes)
      #expect(try await home.database.findImage(url) == image)
    } else {
      let error = await #expect(throws: OffersError.self) { try await loader.image(at: url) }
      #expect(error?.message == "\(url) is an SVG, which may contain scripts and is not supported.")
      #expect(try await home.database.fetchImageContents(now: home.now).images.isEmpty)
    }
  }

  /// The damage done to a file.
  enum Damage: CaseIterable {
    case cut, flipped, wrongSizes, othersHead

    func apply(
      to whole: [UInt8], _ others: [[UInt8]], using generator: inout SeededGenerator
    ) -> [UInt8] {
      func place(_ bound: Int) -> Int {
        // Half of the changes are in the head.
        .random(
          in: 0..<(Bool.random(using: &generator) ? min(64, bound) : bound), using: &generator)
      }
      var bytes = whole
      switch self {
      case .cut:
        return Array(whole.prefix(place(whole.count)))
      case .flipped:
        for _ in 0..<Int.random(in: 1...16, using: &generator) {
          bytes[place(whole.count)] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
        }
      case .wrongSizes:
        let value = [0, 1, 0x7F, 0xFF].randomElement(using: &generator) ?? 0
        let start = place(whole.count - 4)
        for index in start..<start + (Bool.random(using: &generator) ? 2 : 4) {
          bytes[index] = UInt8(value)
        }
      case .othersHead:
        let head = others.randomElement(using: &generator)?.prefix(4 + place(60)) ?? []
        bytes.replaceSubrange(0..<min(head.count, bytes.count), with: head)
      }
      return bytes
    }
  }

  @Test("200 damaged variants of each image are refused or keep the format", arguments: files)
  func survivesDamage(expectation: Expectation) async throws {
    let home = try await FetchHome()
    let loader = ImageLoader(images: home.database, transport: home.web) { home.now }
    let whole = try Self.bytes(expectation.file)
    let others = try Self.files.filter { $0.format != expectation.format }.map {
      try Self.bytes($0.file)
    }
    var generator = SeededGenerator(seed: UInt64(whole.count))
    var entered = 0
    for number in 0..<200 {
      let damage = Damage.allCases[number % Damage.allCases.count]
      let bytes = damage.apply(to: whole, others, using: &generator)
      home.web.answer { _ in Self.answer(bytes, type: "image/png") }
      let url = "https://e.com/\(number)"
      do {
        let image = try await loader.image(at: url)
        entered += 1
        #expect(image.header.format == expectation.format, "\(number)")
        #expect(image.header.width * image.header.height <= ImageCacheLimits.pixels)
        #expect(try await home.database.findImage(url)?.bytes == bytes)
        #expect(damage != .othersHead, "\(number)")
        // A GIF may end after its first frame.
        #expect(damage != .cut || expectation.format == .gif, "\(number)")
      } catch {
        #expect([.malformedImage, .limitExceeded].contains(error.code), "\(number): \(error)")
        #expect(try await home.database.findImage(url) == nil)
      }
    }
    // A file with damaged pixels only is still an image; an SVG never is.
    #expect(entered > 0 || expectation.format == nil)
  }
}
