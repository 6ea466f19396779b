import OffersCore

/// Reads a JSON feed as a stream: bytes go in, in chunks of any size; offers come out, one at a
/// time.
///
/// Works in one pass, without a tree of the document. Memory use is bounded by the largest record
/// (16 MiB at most), whatever the document's length. The whole document is checked against RFC
/// 8259, skipped values included; the first error ends the reading. In JSON lines an error affects
/// its line only, except in a last line without a line feed, which may have been cut off.
final class JSONFeedReader: FormatReader {
  private var assembler: OfferAssembler
  private let itemKeys: ItemKeys
  private let sink: any OfferSink
  private let input: InputBuffer
  private let isLines: Bool
  /// Whether the format was detected, because the definition does not name it.
  private let isFound: Bool
  private var outline: JSONItemLocator
  private(set) var itemCount = 0

  /// The size, in bytes, above which an incomplete record is refused.
  static let itemLimitBytes = 16 << 20

  init(
    _ definition: FeedDefinition, assembler: OfferAssembler, document: DocumentValues,
    sink: any OfferSink, isLines: Bool
  ) {
    self.assembler = assembler
    itemKeys = assembler.itemKeys
    self.sink = sink
    self.isLines = isLines
    isFound = definition.format == nil
    input = InputBuffer(limitBytes: Self.itemLimitBytes)
    outline = JSONItemLocator(items: definition.items, document: document, isLines: isLines)
  }

  func consume(_ bytes: UnsafeRawBufferPointer) throws {
    try input.take(bytes, limitBytes: Self.itemLimitBytes) { try read(isFinal: false) }
  }

  func finish() throws {
    try read(isFinal: true)
  }

  var shapeProblem: String? { outline.shapeProblem }
  var shapeHint: String? { outline.shapeHint }
  var lacksOnlyList: Bool { outline.lacksOnlyList }

  private func read(isFinal: Bool) throws {
    let scanner = JSONScanner(end: input.end, isFinal: isFinal)
    var p = input.start
    // A local variable: Swift checks each access to a class's property for exclusivity.
    var outline = outline
    defer { self.outline = outline }
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
          let start = p
          do {
            try readItem(scanner, &p, depth: depth, in: outline)
          } catch var stop as JSONStop {
            do {
              if let next = try findNextLine(behind: start, stop, isFinal: isFinal) {
                p = next
                continue
              }
            } catch let other {
              stop = other
            }
            itemCount -= 1
            outline.expectItemAgain()
            throw stop
          }
        case .onlyItem(let depth):
          itemCount += 1
          let start = p
          if try readOnly(scanner, &p, depth: depth) {
            outline.takeOnlyItem()
          } else {
            itemCount -= 1
            outline.refuseOnlyItem()
            p = start
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

  /// Reads an object that is the only offer of the document; returns false when it is not one.
  private func readOnly(
    _ scanner: JSONScanner, _ p: inout JSONScanner.Position, depth: Int
  ) throws -> Bool {
    var reader = JSONValueReader(scanner)
    let record = try reader.readItem(&p, depth: depth, keys: itemKeys)
    guard case .offer(let mended) = assembler.assemble(record, isFull: reader.isFull) else {
      return false
    }
    if let mended { sink.mend(position: itemCount, reason: mended) }
    try sink.accept(assembler.offer, position: itemCount)
    return true
  }

  private func readItem(
    _ scanner: JSONScanner, _ p: inout JSONScanner.Position, depth: Int, in outline: JSONItemLocator
  ) throws {
    let first = p.pointee
    var reader = JSONValueReader(scanner)
    let record = try reader.readItem(&p, depth: depth, keys: itemKeys)
    if first != 0x7B, !assembler.readsItemItself {
      let kind = JSONItemLocator.kind(of: first)
      sink.skip(id: nil, position: itemCount, reason: "\(kind), expected an object")
      return
    }
    try assembler.deliver(
      record, ownKeys: outline.ownKeys, isFull: reader.isFull, to: sink, position: itemCount)
  }

  /// Skips a line of JSON lines that is not valid JSON, and returns its end. Returns nil for other
  /// errors and documents, and when the document ends in the line: it may have been cut off, and
  /// the missing offers must not count as gone. Throws `needsMore` when the line's end has not
  /// arrived.
  private func findNextLine(
    behind start: JSONScanner.Position, _ stop: JSONStop, isFinal: Bool
  ) throws(JSONStop) -> JSONScanner.Position? {
    guard isLines, case .syntax(_, let syntax) = stop else { return nil }
    var end = start
    while end < input.end, end.pointee != 0x0A { end += 1 }
    if end >= input.end {
      if isFinal { return nil }
      throw .needsMore
    }
    sink.skip(id: nil, position: itemCount, reason: "not valid JSON: \(syntax.rawValue)")
    return end
  }

  private func malformed(
    at place: JSONScanner.Position, _ syntax: JSONSyntaxError, in outline: JSONItemLocator
  ) -> OffersError {
    let offset = input.offset(of: place)
    let isAtEnd = place >= input.end
    let item = outline.isInItems || isLines ? " in record \(itemCount + 1)" : ""
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
    if outline.isAtStart, isFound, place.pointee != 0x3C {
      return OffersError(
        .malformedFeed, "The document is neither JSON, XML nor a table, at byte \(offset).",
        hint: "Nothing was changed. Check that the source is a feed in one of these formats.")
    }
    if place.pointee == 0x3C, outline.isAtStart {
      return OffersError(
        .malformedFeed,
        "The document is a web page or XML (it begins with “<” at byte \(offset)), not JSON.",
        hint: "Nothing was changed. Open the source in a browser: it may ask for a login.")
    }
    return OffersError(
      .malformedFeed,
      "The document is not valid JSON at byte \(offset)\(item) (\(input.place(of: place))): "
        + "\(syntax.rawValue).",
      hint: "Nothing was changed. Tell the feed's owner, or sync again later.")
  }
}

/// Reads one JSON value into a `RecordValue`: decodes its escapes, replaces CRLF by LF, and invalid
/// UTF-8, unpaired surrogates and NUL by U+FFFD.
struct JSONValueReader {
  private let scanner: JSONScanner
  /// The number of values read so far. Further ones than `RecordValue.countLimit` are validated and
  /// left out.
  private var count = 0
  /// Whether the limit was reached, so that a value was left out.
  private(set) var isFull = false

  init(_ scanner: JSONScanner) { self.scanner = scanner }

  /// Reads the value at `p`, which is nested in `depth` other values, and moves `p` past it.
  mutating func read(
    _ p: inout JSONScanner.Position, depth: Int
  ) throws(JSONStop) -> RecordValue {
    count += 1
    switch p.pointee {
    case 0x22: return try readText(&p)
    case 0x2D, 0x30...0x39:
      let start = p
      try scanner.scanNumber(&p)
      return .number(
        String(decoding: UnsafeBufferPointer(start: start, count: p - start), as: UTF8.self))
    case 0x7B: return .object(try readObject(&p, depth: depth))
    case 0x5B: return .list(try readList(&p, depth: depth))
    default:
      let first = p.pointee
      try scanner.scanLiteral(&p)
      return first == 0x6E ? .null : .truth(first == 0x74)
    }
  }

  /// Reads an item, as `read` does. Of an object, members that no rule reads are validated and left
  /// out. They do not count, however large they are. The keys of the first 100 stay, with null, for
  /// hints about missing keys.
  mutating func readItem(
    _ p: inout JSONScanner.Position, depth: Int, keys: ItemKeys
  ) throws(JSONStop) -> RecordValue {
    guard p.pointee == 0x7B else { return try read(&p, depth: depth) }
    count += 1
    return .object(try readObject(&p, depth: depth, keys: keys))
  }

  private mutating func readObject(
    _ p: inout JSONScanner.Position, depth: Int, keys: ItemKeys? = nil
  ) throws(JSONStop) -> [RecordValue.Member] {
    if depth >= JSONScanner.depthLimit { throw scanner.stop(p, .tooDeep) }
    var members: [RecordValue.Member] = []
    guard scanner.enter(&p, until: 0x7D) else { return members }
    members.reserveCapacity(8)
    var unreadCount = 0
    repeat {
      scanner.skipWhitespace(&p)
      var traits = JSONScanner.TextTraits()
      let raw = try scanner.scanKey(&p, &traits)
      let key = JSONText.decode(raw, traits).text
      if let keys, !keys.contains(key) {
        try scanner.skipValue(&p, depth: depth + 1)
        unreadCount += 1
        if unreadCount <= 100 { members.append(.init(key: key, value: .null)) }
      } else if try !skipsIfFull(&p, depth: depth + 1) {
        members.append(.init(key: key, value: try read(&p, depth: depth + 1)))
      }
    } while try scanner.goOn(&p, until: 0x7D)
    return members
  }

  private mutating func readList(
    _ p: inout JSONScanner.Position, depth: Int
  ) throws(JSONStop) -> [RecordValue] {
    if depth >= JSONScanner.depthLimit { throw scanner.stop(p, .tooDeep) }
    var list: [RecordValue] = []
    guard scanner.enter(&p, until: 0x5D) else { return list }
    repeat {
      scanner.skipWhitespace(&p)
      if try !skipsIfFull(&p, depth: depth + 1) { list.append(try read(&p, depth: depth + 1)) }
    } while try scanner.goOn(&p, until: 0x5D)
    return list
  }

  /// Moves past the value at `p` if there is no room for it.
  @inline(__always)
  private mutating func skipsIfFull(
    _ p: inout JSONScanner.Position, depth: Int
  ) throws(JSONStop) -> Bool {
    if count < RecordValue.countLimit { return false }
    isFull = true
    try scanner.skipValue(&p, depth: depth)
    return true
  }

  @inline(__always)
  private func readText(_ p: inout JSONScanner.Position) throws(JSONStop) -> RecordValue {
    p += 1
    let start = p
    var traits = JSONScanner.TextTraits()
    try scanner.scanText(&p, &traits)
    let (text, isMended) = JSONText.decode(
      UnsafeRawBufferPointer(start: start, count: p - start), traits)
    p += 1
    return isMended ? .mendedText(text) : .text(text)
  }
}
