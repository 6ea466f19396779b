import Foundation
import OffersCore

/// Reads a feed's document as a stream: bytes go in, in chunks of any size; offers come out, one at
/// a time.
///
/// The format and the encoding are detected from the first bytes where the definition does not name
/// them. Memory use does not depend on the document's length.
package final class FeedReader {
  private let definition: FeedDefinition
  private let sink: any OfferSink
  private let transcoder: TextTranscoder
  private let assembler: OfferAssembler
  private let document: DocumentValues
  private var reader: (any FormatReader)?
  /// The document's first bytes, held until the format is known.
  private var start: [UInt8] = []
  private var nextLookBytes = 1
  private var isFinished = false

  /// The number of bytes after which the format is decided with what has arrived.
  private static let startBytes = 1 << 20

  /// - Parameters:
  ///   - definition: how to read the document.
  ///   - address: the document's URL, against which relative links are resolved; nil when it does
  ///     not come from the web.
  ///   - charset: the encoding that the server declares; nil for none. An encoding that the
  ///     definition names takes precedence.
  ///   - now: the present. The price of a sale counts if the sale is on at this time.
  ///   - sink: receives the records of the document.
  package init(
    definition: FeedDefinition, address: String? = nil, charset: String? = nil,
    now: Date = Date(), sink: any OfferSink
  ) {
    self.definition = definition
    self.sink = sink
    transcoder = TextTranscoder(
      charset: definition.encoding ?? charset, isCertain: definition.encoding != nil)
    let links = LinkResolver(address: address)
    document = DocumentValues(definition, links: links)
    assembler = OfferAssembler(
      definition, document: document, links: links, now: now.storedSeconds)
  }

  /// The number of records met so far, broken ones included.
  package var itemCount: Int { reader?.itemCount ?? 0 }

  /// The document's statements about itself, such as its title. Complete once the document is read
  /// to its end.
  package var facts: DocumentFacts { document.facts }

  /// Reads the next bytes of the document.
  ///
  /// - Throws: `OffersError` with `malformedFeed` or `limitExceeded`, and any error of the sink.
  package func consume(_ bytes: UnsafeRawBufferPointer) throws {
    try transcoder.consume(bytes, read)
  }

  /// Reads the rest of the document, which has ended.
  ///
  /// - Throws: the errors of `consume`; `OffersError` with `malformedFeed` when the document is cut
  ///   off; `sourceFailed`, with the document's own message, when it reports an error instead of
  ///   offers; `unexpectedShape` when it is valid but has no list of offers at the paths of the
  ///   definition.
  package func finish() throws {
    isFinished = true
    try transcoder.finish(read)
    if reader == nil { try decideFormat() }
    try reader?.finish()
    let facts = facts
    if itemCount == 0, let error = facts.error {
      throw OffersError(
        .sourceFailed, "The feed says: \(error)",
        hint: "Nothing was changed. Check the address and the key of the feed."
      ).quoting(error)
    }
    let isEmptyFeed =
      reader?.lacksOnlyList == true && definition.title.isFromDocument && facts.title != nil
    if !isEmptyFeed, let problem = reader?.shapeProblem {
      throw OffersError(
        .unexpectedShape, problem,
        hint: reader?.shapeHint ?? "Check that the source is this feed's own document.")
    }
    for reason in facts.mended { sink.mend(position: 0, reason: reason) }
  }

  private func read(_ text: UnsafeRawBufferPointer) throws {
    if let reader { return try reader.consume(text) }
    start.append(contentsOf: text)
    if start.count >= nextLookBytes { try decideFormat() }
  }

  /// Creates the reader once the format is known, and passes it the bytes held so far.
  private func decideFormat() throws {
    let found = try FormatDetection.find(
      in: start, definition: definition,
      isWhole: isFinished || start.count >= Self.startBytes)
    guard let found else {
      // Doubling the threshold bounds the work for a start that arrives in tiny chunks.
      nextLookBytes = 2 * start.count
      return
    }
    let made = try found.makeReader(
      definition, start: start, assembler: assembler, document: document, sink: sink)
    reader = made
    let bytes = start
    start = []
    try bytes.withUnsafeBytes { try made.consume($0) }
  }
}
