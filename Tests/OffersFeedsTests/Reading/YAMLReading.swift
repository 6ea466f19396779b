import OffersCore
import Testing

@testable import OffersFeeds

/// The result of reading a document with a definition in YAML.
///
/// Each document is read whole and in chunks of 1, 7 and 64 bytes, which must give equal results.
struct YAMLReading: Equatable {
  /// The document's statements about itself.
  struct Facts: Equatable {
    var title: String?
    var shared: [String] = []
    var error: String?
    var nextPage: String?
    var pageCount: Int?
  }

  let events: [RecordingSink.Event]
  let facts: Facts
  let itemCount: Int
  let error: OffersError?

  /// - Parameters:
  ///   - yaml: the section of the feed, without its name.
  ///   - address: the document's URL.
  ///   - charset: the encoding that the server declares.
  init(
    _ yaml: String, _ document: [UInt8], address: String? = nil, charset: String? = nil,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let lines = yaml.split(separator: "\n", omittingEmptySubsequences: false)
    try self.init(
      file: "feeds:\n  test:\n" + lines.map { "    \($0)\n" }.joined(), document,
      address: address, charset: charset, sourceLocation: sourceLocation)
  }

  init(
    _ yaml: String, _ document: String, address: String? = nil,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    try self.init(yaml, Array(document.utf8), address: address, sourceLocation: sourceLocation)
  }

  /// Reads a document with a shipped definition.
  init(
    shipped name: String, _ document: String, address: String? = nil,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    try self.init(
      file: ShippedDefinition.text(name), Array(document.utf8), address: address,
      sourceLocation: sourceLocation)
  }

  /// - Parameter file: a whole definition file; the first feed is used.
  init(
    file: String, _ document: [UInt8], address: String? = nil, charset: String? = nil,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let definition = try #require(try DefinitionFile.parse(file, name: "test.yaml").first)
    func read(_ pieceBytes: Int) throws -> YAMLReading {
      try YAMLReading(
        definition, document, pieceBytes: pieceBytes, address: address, charset: charset)
    }
    self = try read(max(1, document.count))
    for size in [1, 7, 64] {
      let pieces = try read(size)
      #expect(pieces == self, "in pieces of \(size) bytes", sourceLocation: sourceLocation)
    }
  }

  private init(
    _ definition: FeedDefinition, _ document: [UInt8], pieceBytes: Int, address: String?,
    charset: String?
  ) throws {
    let sink = RecordingSink()
    let reader = FeedReader(
      definition: definition, address: address, charset: charset, sink: sink)
    var failure: OffersError?
    do {
      for start in stride(from: 0, to: document.count, by: pieceBytes) {
        // Each chunk has its own allocation, so that reading past its end or after the call is detected.
        let piece = Array(document[start..<min(start + pieceBytes, document.count)])
        try piece.withUnsafeBytes { try reader.consume($0) }
      }
      try reader.finish()
    } catch let error as OffersError {
      failure = error
    }
    events = sink.events
    itemCount = reader.itemCount
    error = failure
    let found = reader.facts
    facts = Facts(
      title: found.title, shared: found.shared.map { "\($0.label): \($0.value)" },
      error: found.error,
      nextPage: found.nextPage, pageCount: found.pageCount)
  }

  // MARK: Results

  /// The texts of the offers, in order.
  var offers: [[OfferField: String]] {
    events.compactMap { if case .offer(_, let texts) = $0 { texts } else { nil } }
  }

  var ids: [String?] { all(.id) }
  var names: [String?] { all(.name) }

  /// One field of all offers, in order.
  func all(_ field: OfferField) -> [String?] { offers.map { $0[field] } }

  /// The attributes of each offer, as `Label: value`.
  var attributes: [[String]] {
    offers.map { texts in
      OfferAttribute.parse(texts[.attributes] ?? "").map { "\($0.label): \($0.value)" }
    }
  }

  /// The categories of each offer.
  var categories: [[String]] {
    offers.map { JSONTexts.parse($0[.categories] ?? "") }
  }

  /// The skipped records, as `position: reason`, or `position (id): reason`.
  var skips: [String] {
    events.compactMap { event in
      guard case .skipped(let position, let id, let reason) = event else { return nil }
      return "\(position)\(id.map { " (\($0))" } ?? ""): \(reason)"
    }
  }

  /// The repaired records, as `position: reason`.
  var mends: [String] {
    events.compactMap { event in
      guard case .mended(let position, let reason) = event else { return nil }
      return "\(position): \(reason)"
    }
  }

  /// Whether there was no error, no skipped record and no repair.
  var isClean: Bool { error == nil && skips.isEmpty && mends.isEmpty }
}
