import Expat
import Foundation
import OffersCore
import OffersFeeds

/// Reads a document once, in a process of its own so that its memory use can be measured.
enum ReadWork: String {
  /// Reads the document with the feed reader and a definition. Nothing is stored.
  case read
  /// Reads the document with Foundation's decoder, which holds all of it in memory.
  case decode
  /// Reads the document with the XML parser alone, and ignores its events.
  case expat

  /// - Parameter words: the path of the document, and for `read` the name of a shipped feed or the
  ///   path of a definition file, which ends in `.yaml`; `ibotta` if it is missing.
  func run(_ words: ArraySlice<String>) throws {
    guard let path = words.first else { throw BenchmarkError(description: "name a document") }
    switch self {
    case .read: try Self.read(path, words.dropFirst().first ?? "ibotta")
    case .decode: try Self.decode(path)
    case .expat: try Self.parse(path)
    }
  }

  private final class Counter: OfferSink {
    private(set) var offers = 0
    private(set) var bytes = 0

    func accept(_ texts: OfferTexts, position: Int) {
      offers += 1
      for field in OfferField.allCases { bytes += texts[field]?.count ?? 0 }
    }

    func skip(id: UnsafeRawBufferPointer?, position: Int, reason: String) {}
    func mend(position: Int, reason: String) {}
  }

  private static func read(_ path: String, _ name: String) throws {
    let definition =
      name.hasSuffix(".yaml")
      ? try DefinitionFile.parse(String(contentsOfFile: name, encoding: .utf8), name: name).first
      : try FeedCatalog.find(name)
    guard let definition else { throw BenchmarkError(description: "no definition \(name)") }
    let counter = Counter()
    let reader = FeedReader(definition: definition, sink: counter)
    try forEachPiece(of: path) { try reader.consume($0) }
    try reader.finish()
    guard counter.offers > 0 else { throw BenchmarkError(description: "nothing read of \(path)") }
  }

  private struct Item: Decodable {
    let id: String
    let url: String?
    let name: String
    let description: String?
    let terms: String?
    let reward: String?

    private enum CodingKeys: String, CodingKey {
      case id, url, name, description, terms
      case reward = "current_value"
    }
  }

  private static func decode(_ path: String) throws {
    let data = try Data(contentsOf: URL(fileURLWithPath: path))
    let items = try JSONDecoder().decode([Item].self, from: data)
    guard !items.isEmpty else { throw BenchmarkError(description: "nothing in \(path)") }
  }

  private static func parse(_ path: String) throws {
    let parser = XML_ParserCreate("UTF-8")
    defer { XML_ParserFree(parser) }
    XML_SetElementHandler(parser, { _, _, _ in }, { _, _ in })
    XML_SetCharacterDataHandler(parser, { _, _, _ in })
    try forEachPiece(of: path) { piece in
      let start = piece.baseAddress?.assumingMemoryBound(to: CChar.self)
      guard XML_Parse(parser, start, Int32(piece.count), 0) == XML_STATUS_OK else {
        throw BenchmarkError(description: "\(path) is no XML")
      }
    }
  }

  private static func forEachPiece(
    of path: String, _ body: (UnsafeRawBufferPointer) throws -> Void
  ) throws {
    let descriptor = open(path, O_RDONLY)
    guard descriptor >= 0 else { throw BenchmarkError(description: "could not open \(path)") }
    defer { close(descriptor) }
    let size = 256 << 10
    let buffer = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: 16)
    defer { buffer.deallocate() }
    while true {
      let count = Glibc.read(descriptor, buffer, size)
      if count <= 0 { return }
      try body(UnsafeRawBufferPointer(start: buffer, count: count))
    }
  }
}
