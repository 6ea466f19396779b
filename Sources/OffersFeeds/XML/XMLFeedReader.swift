import OffersCore

/// Reads an XML feed as a stream, whatever its vocabulary. Memory is bounded by the largest single
/// offer.
final class XMLFeedReader: FormatReader {
  private let handler: XMLItemHandler
  private let mender = XMLMender()
  private let tokens: XMLTokenReader
  private let itemsText: String
  private let sink: any OfferSink
  /// The elements on the way to the items.
  private let itemKeys: [String]

  init(
    _ definition: FeedDefinition, assembler: OfferAssembler, document: DocumentValues,
    sink: any OfferSink
  ) {
    self.sink = sink
    itemKeys = definition.items.flatMap(\.steps).compactMap {
      if case .key(let key) = $0 { key } else { nil }
    }
    handler = XMLItemHandler(assembler: assembler, document: document, sink: sink)
    tokens = XMLTokenReader(handler: handler)
    itemsText = definition.items.map { $0.steps.isEmpty ? "its root" : $0.descriptionFromRoot }
      .joined(separator: " or ")
  }

  var itemCount: Int { handler.itemCount }

  func consume(_ bytes: UnsafeRawBufferPointer) throws {
    try mender.consume(bytes) { try tokens.consume($0) }
  }

  func finish() throws {
    try mender.finish { try tokens.consume($0) }
    try tokens.finish()
    if mender.mendedCount > 0 {
      let count = mender.mendedCount
      sink.mend(
        position: 0,
        reason: "\(count) \(count == 1 ? "fault" : "faults") in the XML, read as it was meant")
    }
    if tokens.passedCount > 0 {
      let count = tokens.passedCount
      sink.mend(
        position: 0,
        reason: "\(count) \(count == 1 ? "reference" : "references") to text elsewhere, which is "
          + "never fetched, left out")
    }
  }

  /// The element of the path that the document lacks, and which one may be meant.
  var shapeHint: String? {
    guard let missing = itemKeys.first(where: { !handler.seenElements.contains($0) }),
      let near = NearestWord.find(missing, among: handler.seenElements)
    else { return nil }
    return "Did you mean \(near) for \(missing)?"
  }

  var shapeProblem: String? {
    if handler.itemCount > 0 || handler.didFindList { return nil }
    let seen = handler.seenElements.joined(separator: ", ")
    return
      "Expected offers at \(itemsText), found \(seen.isEmpty ? "nothing" : "the elements \(seen)")."
  }
}
