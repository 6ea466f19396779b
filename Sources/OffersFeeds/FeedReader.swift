import OffersCore

/// Reads a feed's document as a stream: bytes in, in pieces of any size; offers out, one at a time.
///
/// The format and the encoding are found out from the first bytes where the definition does not
/// say. Memory does not grow with the document.
package final class FeedReader {
  private let definition: FeedDefinition
  private let sink: any OfferSink
  private let transcoder: TextTranscoder
  private let assembler: OfferAssembler
  private let document: DocumentValues
  private var reader: (any FormatReader)?
  /// The document's start, until its format is known.
  private var start: [UInt8] = []
  private var nextLookBytes = 1
  private var isFinished = false

  /// How much of a document is looked at to tell its format.
  private static let startBytes = 1 << 20

  /// - Parameters:
  ///   - definition: how to read it.
  ///   - address: where it came from, for the links in it; nil when that is no place on the web.
  ///   - charset: the encoding that the server names.
  package init(
    definition: FeedDefinition, address: String? = nil, charset: String? = nil,
    sink: any OfferSink
  ) {
    self.definition = definition
    self.sink = sink
    transcoder = TextTranscoder(
      charset: definition.encoding ?? charset, isCertain: definition.encoding != nil)
    assembler = OfferAssembler(definition, address: address)
    document = DocumentValues(definition, tree: assembler.document, links: assembler.links)
  }

  /// Records met so far, broken ones included.
  package var itemCount: Int { reader?.itemCount ?? 0 }

  /// What the document says about itself. Complete when it is read to its end.
  package var facts: DocumentFacts { document.facts }

  /// Takes the next bytes of the document.
  ///
  /// - Throws: `OffersError` with `malformedFeed` or `limitExceeded`; whatever the sink throws.
  package func consume(_ bytes: UnsafeRawBufferPointer) throws {
    try transcoder.consume(bytes, read)
  }

  /// Says that the document has ended.
  ///
  /// - Throws: `OffersError` with `malformedFeed` when it ended too early, `sourceFailed` with the
  ///   document's own words when it says what went wrong, `unexpectedShape` when it is sound but
  ///   the offers are not where the definition says.
  package func finish() throws {
    isFinished = true
    try transcoder.finish(read)
    if reader == nil { try decide() }
    try reader?.finish()
    if itemCount == 0, let error = facts.error {
      throw OffersError(
        .sourceFailed, "The feed says: \(error)", hint: "Nothing was changed.")
    }
    if let problem = reader?.shapeProblem {
      throw OffersError(
        .unexpectedShape, problem,
        hint: reader?.shapeHint ?? "Check that the source is this feed's own document.")
    }
  }

  private func read(_ text: UnsafeRawBufferPointer) throws {
    if let reader { return try reader.consume(text) }
    start.append(contentsOf: text)
    if start.count >= nextLookBytes { try decide() }
  }

  /// Makes the reader once the format is known, and gives it what has come so far.
  private func decide() throws {
    let found = try DocumentFormat.find(
      in: start, definition: definition,
      isWhole: isFinished || start.count >= Self.startBytes)
    guard let found else {
      // Twice as much each time: a start that comes in crumbs is looked at a few times only.
      nextLookBytes = 2 * start.count
      return
    }
    let made: any FormatReader =
      switch found {
      case .xml:
        XMLFeedReader(definition, assembler: assembler, document: document, sink: sink)
      case .json, .ndjson:
        JSONFeedReader(
          definition, assembler: assembler, document: document, sink: sink,
          isLines: found == .ndjson)
      }
    reader = made
    let bytes = start
    start = []
    try bytes.withUnsafeBytes { try made.consume($0) }
  }
}
