import OffersCore

/// Reads one JSON value into a `RecordValue`: decodes its escapes, replaces CRLF by LF, and invalid
/// UTF-8, unpaired surrogates and NUL by U+FFFD.
struct JSONValueReader {
  private let scanner: JSONScanner
  /// The number of values read so far. Further ones than `RecordValue.countLimit` are validated and
  /// left out.
  private var count = 0
  /// Whether a value was left out.
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

  private mutating func readObject(
    _ p: inout JSONScanner.Position, depth: Int
  ) throws(JSONStop) -> [RecordValue.Member] {
    if depth >= JSONScanner.depthLimit { throw scanner.stop(p, .tooDeep) }
    var members: [RecordValue.Member] = []
    guard scanner.enter(&p, until: 0x7D) else { return members }
    members.reserveCapacity(8)
    repeat {
      scanner.skipWhitespace(&p)
      var traits = JSONScanner.TextTraits()
      let raw = try scanner.scanKey(&p, &traits)
      if try !skipsIfFull(&p, depth: depth + 1) {
        let key = JSONText.decode(raw, traits).text
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
