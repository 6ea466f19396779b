import OffersCore

/// Reads an XML feed of any vocabulary as a stream. Memory use is bounded by the largest record.
final class XMLFeedReader: FormatReader {
  private let handler: XMLItemHandler
  private let mender = XMLMender()
  private let tokens: XMLTokenReader
  private let itemsText: String
  private let sink: any OfferSink
  private let items: [FieldPath]

  init(
    _ definition: FeedDefinition, assembler: OfferAssembler, document: DocumentValues,
    sink: any OfferSink
  ) {
    self.sink = sink
    items = definition.items
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
        reason: "\(count) \(count == 1 ? "fault" : "faults") in the XML, repaired")
    }
    if tokens.passedCount > 0 {
      let count = tokens.passedCount
      sink.mend(
        position: 0,
        reason: "\(count) \(count == 1 ? "reference" : "references") to external entities, "
          + "which are never loaded, left out")
    }
  }

  /// A suggestion to name a similar element, when the document lacks one on a path of the offers;
  /// nil when it lacks none, or none is similar.
  var shapeHint: String? {
    for path in items {
      for (place, step) in path.steps.enumerated() {
        guard case .key(let key) = step, !handler.seenElements.contains(key) else { continue }
        guard let near = NearestWord.find(key, among: handler.seenElements) else { return nil }
        var meant = path
        meant.steps[place] = .key(near)
        return "Did you mean \(meant.descriptionFromRoot) for \(path.descriptionFromRoot)?"
      }
    }
    return nil
  }

  /// Always false, since an element without items is found as an empty list of them.
  var lacksOnlyList: Bool { false }

  var shapeProblem: String? {
    if handler.itemCount > 0 || handler.didFindList { return nil }
    let seen = handler.seenElements.joined(separator: ", ")
    return
      "Expected offers at \(itemsText), found \(seen.isEmpty ? "nothing" : "the elements \(seen)")."
  }
}
