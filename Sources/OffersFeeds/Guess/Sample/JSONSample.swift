/// Reads JSON, complete or cut off, into a sample of its values.
///
/// Keeps the first elements of each list, all of which it counts, and the first members of each
/// object, so that memory use is bounded. A text or number that is cut off is dropped; the values
/// before it are kept.
struct JSONSample {
  /// The document's root, or the list of the values of JSON lines. Nil for an empty document.
  private(set) var root: SampleValue?
  /// True when the document is not valid JSON, which includes one that is cut off. False for JSON
  /// lines, of which invalid lines are skipped.
  private(set) var isBroken = false

  private var scanner: JSONScanner
  private var p: JSONScanner.Position
  private let arena = TextArena()
  private var valueCount = 0

  private static let valueLimit = 400_000
  private static let memberLimit = 5000

  /// - Parameters:
  ///   - text: the document in UTF-8.
  ///   - isLines: whether the document is JSON lines: one value per line.
  static func read(_ text: [UInt8], isLines: Bool) -> JSONSample? {
    let padded = text + [UInt8](repeating: 0, count: InputBuffer.paddingBytes)
    return padded.withUnsafeBufferPointer { bytes in
      guard let start = bytes.baseAddress else { return nil }
      var sample = JSONSample(start, end: start + text.count)
      sample.read(isLines: isLines)
      return sample
    }
  }

  private init(_ start: JSONScanner.Position, end: JSONScanner.Position) {
    scanner = JSONScanner(end: end, isFinal: true)
    p = start
  }

  private mutating func read(isLines: Bool) {
    scanner.skipWhitespace(&p)
    if !isLines {
      root = readValue(depth: 0)
      scanner.skipWhitespace(&p)
      isBroken = isBroken || p < scanner.end
      return
    }
    var list = SampleList(elements: [], count: 0)
    while p < scanner.end {
      let value = readValue(depth: 1)
      if isBroken {
        passLine()
      } else if let value {
        list.count += 1
        if list.count <= Self.memberLimit { list.elements.append(value) }
      }
      scanner.skipWhitespace(&p)
    }
    root = list.count > 0 ? .list(list) : nil
  }

  private mutating func passLine() {
    isBroken = false
    while p < scanner.end, p.pointee != 0x0A { p += 1 }
  }

  /// Reads the value at `p`. Of a list or object that is cut off or invalid, it returns the part
  /// before that; of another such value nil.
  private mutating func readValue(depth: Int) -> SampleValue? {
    if p.pointee == 0x7B || p.pointee == 0x5B {
      if depth >= JSONScanner.depthLimit {
        isBroken = true
        return nil
      }
      if valueCount < Self.valueLimit {
        return p.pointee == 0x7B ? readObject(depth: depth) : readList(depth: depth)
      }
    }
    valueCount += 1
    let start = p
    do {
      try scanner.skipValue(&p, depth: depth)
    } catch {
      isBroken = true
      return nil
    }
    return value(from: start)
  }

  private mutating func value(from start: JSONScanner.Position) -> SampleValue {
    switch start.pointee {
    case 0x22:
      let raw = UnsafeRawBufferPointer(start: start + 1, count: p - start - 2)
      return .text(SampleText(decode(raw), sizeBytes: raw.count))
    case 0x6E: return .null
    case 0x74, 0x66: return .truth
    case 0x2D, 0x30...0x39:
      let digits = UnsafeRawBufferPointer(start: start, count: p - start)
      return .text(SampleText(String(decoding: digits.prefix(40), as: UTF8.self), isNumber: true))
    default: return .null
    }
  }

  private func decode(_ raw: UnsafeRawBufferPointer) -> String {
    var wasMended = false
    arena.reset()
    let traits = JSONScanner.TextTraits(hasEscapes: true, hasNonASCII: true)
    let text = JSONTextDecoder(arena: arena).decode(raw, traits, wasMended: &wasMended)
    return String(decoding: text.prefix(SampleText.limitBytes), as: UTF8.self)
  }

  private mutating func readList(depth: Int) -> SampleValue {
    var list = SampleList(elements: [], count: 0)
    p += 1
    scanner.skipWhitespace(&p)
    if p.pointee == 0x5D {
      p += 1
      return .list(list)
    }
    while true {
      scanner.skipWhitespace(&p)
      let value = readValue(depth: depth + 1)
      // The element in which the sample is cut off is incomplete. It is dropped, unless it is the
      // only one.
      if let value, !isBroken || list.count == 0 {
        list.count += 1
        if list.count <= Self.memberLimit { list.elements.append(value) }
      }
      if isBroken || !goOn(0x5D) { return .list(list) }
    }
  }

  private mutating func readObject(depth: Int) -> SampleValue {
    var object = SampleObject(members: [])
    p += 1
    scanner.skipWhitespace(&p)
    if p.pointee == 0x7D {
      p += 1
      return .object(object)
    }
    while true {
      scanner.skipWhitespace(&p)
      var traits = JSONScanner.TextTraits()
      guard let raw = try? scanner.scanKey(&p, &traits) else {
        // The kind of error is not needed here, because the feed reader reports it.
        isBroken = true
        return .object(object)
      }
      let key = decode(raw)
      if let value = readValue(depth: depth + 1), object.members.count < Self.memberLimit {
        // YAML drops a byte order mark at the start of a text, so a path could not name this key.
        if key.unicodeScalars.first != "\u{FEFF}" { object.members.append((key, value)) }
      }
      if isBroken || !goOn(0x7D) { return .object(object) }
    }
  }

  /// Consumes a comma, or the end of a list or object; returns whether another member follows.
  private mutating func goOn(_ end: UInt8) -> Bool {
    scanner.skipWhitespace(&p)
    if p.pointee == 0x2C {
      p += 1
      return true
    }
    if p.pointee == end { p += 1 } else { isBroken = true }
    return false
  }
}
