import OffersCore

/// Reads a JSON feed as a stream: bytes in, in pieces of any size; offers out, one at a time.
///
/// One pass, no tree. Memory is bounded by the largest single offer (16 MiB at most), whatever the
/// size of the document. The whole document is checked against RFC 8259, what is passed over too;
/// the first error ends the reading.
package final class JSONFeedReader {
  private let sink: any OfferSink
  private let input: InputBuffer
  private var items: JSONItemReader
  private var outline: JSONOutline
  /// Records met so far, broken ones included.
  package private(set) var itemCount = 0

  /// Largest single record in bytes.
  package static let itemLimitBytes = 16 << 20

  package init(definition: FeedDefinition, sink: any OfferSink) {
    self.sink = sink
    input = InputBuffer(limitBytes: Self.itemLimitBytes)
    tree = FieldTree(fields: definition.fields)
    items = JSONItemReader(tree: tree, arena: input.arena)
    outline = JSONOutline(path: definition.itemsPath)
  }

  private let tree: FieldTree
  private var didPassStart = false

  /// Takes the next bytes of the document.
  ///
  /// - Throws: `OffersError` with `malformedFeed` or `limitExceeded`; whatever the sink throws.
  package func consume(_ bytes: UnsafeRawBufferPointer) throws {
    let didMove = try input.append(bytes)
    if didMove { items = JSONItemReader(tree: tree, arena: input.arena) }
    if input.heldBytes < patienceBytes { return }
    try read(isFinal: false)
    // A record is scanned from its start each time. Waiting until twice as much is there keeps the
    // cost of a large one that comes in crumbs in proportion to its size.
    patienceBytes =
      input.heldBytes > Self.crumbBytes ? min(2 * input.heldBytes, Self.itemLimitBytes) : 0
  }

  /// How many bytes must be at hand before it is worth looking at them again.
  private var patienceBytes = 0
  private static let crumbBytes = 4 << 10

  /// Says that the document has ended.
  ///
  /// - Throws: `OffersError` with `malformedFeed` when it ended too early, `unexpectedShape` when
  ///   it is sound but the offers are not where the definition says.
  package func finish() throws {
    try read(isFinal: true)
    if let problem = outline.shapeProblem {
      throw OffersError(
        .unexpectedShape, problem,
        hint: "Check that the source is this feed's own document.")
    }
  }

  private func read(isFinal: Bool) throws {
    let scanner = JSONScanner(end: input.end, isFinal: isFinal)
    var p = input.start
    if !didPassStart {
      guard passStart(&p, isFinal: isFinal) else { return }
    }
    // Worked on as locals: a property is checked for exclusive access each time it is touched.
    var outline = outline
    var items = items
    defer {
      self.outline = outline
      self.items = items
    }
    var mark = p
    do {
      while true {
        mark = p
        let step = try outline.step(scanner, &p)
        switch step {
        case .walked:
          break
        case .item(let depth):
          itemCount += 1
          do {
            try readItem(scanner, &p, depth: depth, with: &items)
          } catch let stop as JSONStop {
            itemCount -= 1
            outline.expectItemAgain()
            throw stop
          }
        case .ended:
          input.consume(to: p)
          return
        }
      }
    } catch JSONStop.needsMore {
      input.consume(to: mark)
    } catch JSONStop.syntax(let address, let syntax) {
      let place = input.start + Int(bitPattern: address &- UInt(bitPattern: input.start))
      throw malformed(at: place, syntax, in: outline)
    }
  }

  private func readItem(
    _ scanner: JSONScanner, _ p: inout JSONScanner.Position, depth: Int,
    with items: inout JSONItemReader
  ) throws {
    guard p.pointee == 0x7B else {
      let kind = JSONOutline.kind(of: p.pointee)
      try scanner.skipValue(&p, depth: depth)
      sink.skip(id: nil, position: itemCount, reason: "\(kind), expected an object")
      return
    }
    switch try items.read(scanner, &p, depth: depth) {
    case .offer(let texts, let mended):
      if let mended { sink.mend(position: itemCount, reason: mended) }
      try sink.accept(texts, position: itemCount)
    case .noOffer(let id, let reason):
      sink.skip(id: id, position: itemCount, reason: reason)
    }
  }

  /// Passes over a byte order mark. Returns false when more bytes are needed to tell.
  private func passStart(_ p: inout JSONScanner.Position, isFinal: Bool) -> Bool {
    let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
    let count = input.end - p
    if count < mark.count && !isFinal { return false }
    didPassStart = true
    if count >= mark.count, (0..<mark.count).allSatisfy({ p[$0] == mark[$0] }) { p += mark.count }
    return true
  }

  private func malformed(
    at place: JSONScanner.Position, _ syntax: JSONSyntax, in outline: JSONOutline
  ) -> OffersError {
    let offset = input.offset(of: place)
    let isAtEnd = place >= input.end
    let item = outline.isInItems ? " in record \(itemCount + 1)" : ""
    if isAtEnd && offset == 0 {
      return OffersError(
        .malformedFeed, "The document is empty.",
        hint: "Nothing was changed. Check the source, then sync again.")
    }
    if isAtEnd && syntax != .tooDeep {
      return OffersError(
        .malformedFeed, "The document ends too early, at byte \(offset)\(item).",
        hint: "Nothing was changed. It may have been cut off on the way: sync again.")
    }
    if place.pointee == 0x3C, outline.isAtStart {
      return OffersError(
        .malformedFeed,
        "The document is a web page or XML (it begins with “<” at byte \(offset)), not JSON.",
        hint: "Nothing was changed. Open the source in a browser: it may ask for a login.")
    }
    return OffersError(
      .malformedFeed,
      "The document is not valid JSON at byte \(offset)\(item): \(syntax.rawValue).",
      hint: "Nothing was changed. Tell the feed's owner, or sync again later.")
  }
}
