import OffersCore

/// A JSON object of an export. The caller states the names of all members that the object may have; any
/// other name is an error. The values are located first, and each is decoded when the caller asks for it.
///
/// Unlike the texts of feeds, which are repaired, texts are decoded exactly: line endings are kept,
/// and invalid Unicode and NUL are refused.
final class ExportObject {
  private enum Kind { case absent, null, text, number, truth, object, list }

  private struct Value {
    var kind = Kind.absent
    var start: JSONScanner.Position
    var count = 0
    var traits = JSONScanner.TextTraits()
  }

  private let names: [String]
  private let nameBytes: [[UInt8]]
  private var values: [Value] = []
  private var scanner: JSONScanner?
  private var start: JSONScanner.Position?
  private var depth = 0

  /// - Parameter names: the names of all possible members, ideally in their usual order. The
  ///   methods' `place` is an index into them.
  init(_ names: [String]) {
    self.names = names
    nameBytes = names.map { Array($0.utf8) }
  }

  /// Scans an object, records where its members' values are, and moves past it. The values can be
  /// read until the bytes are released.
  ///
  /// - Parameters:
  ///   - scanner: scans the bytes of the object.
  ///   - p: the start of the object; afterwards its end.
  ///   - depth: the number of values around the object.
  /// - Throws: `ExportFault` for another kind of value or a member with an unknown name, and
  ///   `JSONStop`.
  func read(_ scanner: JSONScanner, _ p: inout JSONScanner.Position, depth: Int) throws {
    self.scanner = scanner
    self.depth = depth
    start = p
    values = Array(repeating: Value(start: p), count: names.count)
    guard p.pointee == 0x7B else { throw Self.fault(scanner, p, "an object was expected") }
    guard scanner.enter(&p, until: 0x7D) else { return }
    var next = 0
    repeat {
      scanner.skipWhitespace(&p)
      let keyStart = p
      var traits = JSONScanner.TextTraits()
      let key = try scanner.scanKey(&p, &traits)
      guard let place = find(key, from: next) else {
        let name = String(decoding: key.prefix(60), as: UTF8.self)
        throw ExportFault(at: keyStart, "“\(name)” is not a member of this object")
      }
      next = place + 1
      values[place] = try Self.value(scanner, &p, depth: depth + 1)
    } while try scanner.goOn(&p, until: 0x7D)
  }

  private func find(_ key: UnsafeRawBufferPointer, from likely: Int) -> Int? {
    if likely < nameBytes.count, key.elementsEqual(nameBytes[likely]) { return likely }
    return nameBytes.firstIndex { key.elementsEqual($0) }
  }

  private static func value(
    _ scanner: JSONScanner, _ p: inout JSONScanner.Position, depth: Int
  ) throws -> Value {
    var value = Value(start: p)
    switch p.pointee {
    case 0x22:
      value.kind = .text
      p += 1
      value.start = p
      try scanner.scanText(&p, &value.traits)
      value.count = p - value.start
      p += 1
      return value
    case 0x7B: value.kind = .object
    case 0x5B: value.kind = .list
    case 0x6E: value.kind = .null
    case 0x74, 0x66: value.kind = .truth
    default: value.kind = .number
    }
    try scanner.skipValue(&p, depth: depth)
    value.count = p - value.start
    return value
  }

  /// Returns a fault at `p`; at the end of the available bytes instead the scanner's error, since
  /// the value there is missing, not wrong.
  static func fault(
    _ scanner: JSONScanner, _ p: JSONScanner.Position, _ reason: String
  ) -> any Error {
    p >= scanner.end ? scanner.stop(p, .expectedValue) : ExportFault(at: p, reason)
  }

  // Values of members. Absent and null mean the same.

  private func value(_ place: Int, _ kind: Kind, _ expected: String) throws -> Value? {
    let value = values[place]
    if value.kind == kind { return value }
    if value.kind == .absent || value.kind == .null { return nil }
    throw ExportFault(at: value.start, "“\(names[place])” should be \(expected)")
  }

  /// Returns a fault at a member's value, or at the object's start if the member is absent.
  func fault(_ place: Int, _ reason: String) -> ExportFault {
    ExportFault(
      at: values[place].kind == .absent ? start ?? values[place].start : values[place].start,
      "“\(names[place])” \(reason)")
  }

  private func required<Result>(_ place: Int, _ result: Result?) throws -> Result {
    guard let result else { throw fault(place, "is missing") }
    return result
  }

  func findText(_ place: Int) throws -> String? {
    guard let value = try value(place, .text, "a text") else { return nil }
    guard let text = ExportText.decode(value.start, value.count, value.traits) else {
      throw fault(place, "is not valid Unicode")
    }
    return text
  }

  /// Returns a text that must be present and not empty.
  func text(_ place: Int) throws -> String {
    let text = try required(place, try findText(place))
    if text.isEmpty { throw fault(place, "is empty") }
    return text
  }

  /// Returns a text that is one of a few; nil for another. Long texts are not compared, since the time of
  /// that grows with the square of their combining marks.
  func choice<Choice: RawRepresentable>(
    _ place: Int
  ) throws -> Choice? where Choice.RawValue == String {
    let text = try text(place)
    return text.utf8.count > 64 ? nil : Choice(rawValue: text)
  }

  func findNumber(_ place: Int) throws -> Int64? {
    guard let text = try findLiteral(place) else { return nil }
    guard let number = Int64(text) else { throw fault(place, "should be a whole number") }
    return number
  }

  func number(_ place: Int) throws -> Int64 { try required(place, try findNumber(place)) }

  /// Returns a number as it is written.
  func findLiteral(_ place: Int) throws -> String? {
    try value(place, .number, "a number").map {
      String(decoding: UnsafeRawBufferPointer(start: $0.start, count: $0.count), as: UTF8.self)
    }
  }

  func truth(_ place: Int) throws -> Bool {
    try required(place, try value(place, .truth, "true or false")).start.pointee == 0x74
  }

  func findTime(_ place: Int) throws -> Int64? {
    guard let text = try findText(place) else { return nil }
    guard let seconds = ISOTime.seconds(parsing: text), Self.times.contains(seconds) else {
      throw fault(place, "should be a time like 2026-11-21T09:07:22Z")
    }
    return seconds
  }

  /// The Unix seconds of the years -9999 to 9999, and of the two days after them: a day ends up to so
  /// much later in the zone of its feed. Calendars may not support other times.
  private static let times: ClosedRange<Int64> = -377_705_116_800...253_402_473_599

  func time(_ place: Int) throws -> Int64 { try required(place, try findTime(place)) }

  func ref(_ place: Int) throws -> OfferRef {
    let text = try text(place)
    guard let ref = OfferRef(text) else {
      throw fault(place, "should be a feed and an id, as in ibotta:900117")
    }
    if ref.offerID.utf8.count > OfferLimits.idBytes {
      throw fault(place, "has an id longer than \(OfferLimits.idBytes) bytes")
    }
    return ref
  }

  /// The source of a feed, whose length is limited like that of a link.
  func source(_ place: Int) throws -> String {
    let source = try text(place)
    if source.utf8.count <= OfferLimits.linkBytes { return source }
    throw fault(place, "is longer than \(OfferLimits.linkBytes) bytes")
  }

  func feedName(_ place: Int) throws -> String {
    let name = try text(place)
    if FeedName.isValid(name) { return name }
    throw fault(place, "should be up to 63 lower-case letters, digits and inner hyphens")
  }

  /// Returns the JSON text of a member that is an object; nil when it is absent.
  func findObjectText(_ place: Int) throws -> String? {
    guard let value = try value(place, .object, "an object") else { return nil }
    let bytes = UnsafeRawBufferPointer(start: value.start, count: value.count)
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw fault(place, "is not valid Unicode")
    }
    return text
  }

  /// Returns a member that is an object, with at most `RecordValue.countLimit` values; nil when it is absent.
  func findObject(_ place: Int) throws -> RecordValue? {
    guard let scanner, let value = try value(place, .object, "an object") else { return nil }
    var p = value.start
    var reader = JSONValueReader(scanner)
    return try reader.read(&p, depth: depth + 1)
  }

  /// Reads a member that is an object; returns false when it is absent.
  func readObject(_ place: Int, into object: ExportObject) throws -> Bool {
    guard let scanner, let value = try value(place, .object, "an object") else { return false }
    var p = value.start
    try object.read(scanner, &p, depth: depth + 1)
    return true
  }

  /// Reads each element of a member that is a list of objects into `object`, and then calls `body`.
  func forEachObject(
    _ place: Int, into object: ExportObject, _ body: () throws -> Void
  ) throws {
    try forEachElement(place) { scanner, p in
      try object.read(scanner, &p, depth: depth + 2)
      try body()
    }
  }

  /// Returns the elements of a member that is a list of texts.
  func texts(_ place: Int) throws -> [String] {
    var texts: [String] = []
    try forEachElement(place) { scanner, p in
      let element = try Self.value(scanner, &p, depth: depth + 2)
      guard element.kind == .text,
        let text = ExportText.decode(element.start, element.count, element.traits)
      else { throw ExportFault(at: element.start, "“\(names[place])” should be a list of texts") }
      texts.append(text)
    }
    return texts
  }

  private func forEachElement(
    _ place: Int, _ body: (JSONScanner, inout JSONScanner.Position) throws -> Void
  ) throws {
    guard let scanner, let value = try value(place, .list, "a list") else { return }
    var p = value.start + 1
    scanner.skipWhitespace(&p)
    while p.pointee != 0x5D {
      try body(scanner, &p)
      scanner.skipWhitespace(&p)
      if p.pointee == 0x2C { p += 1 }
      scanner.skipWhitespace(&p)
    }
  }
}

/// A mistake in an export, and its address.
struct ExportFault: Error {
  /// The address in memory, from which the position in the document is computed. It is never
  /// dereferenced.
  let address: UInt
  let reason: String

  init(at place: JSONScanner.Position, _ reason: String) {
    address = UInt(bitPattern: place)
    self.reason = reason
  }
}

/// Decodes the texts of an export, in which the scanner has checked the escapes.
enum ExportText {
  /// Returns the text, or nil for one with invalid UTF-8, an unpaired surrogate, or a NUL, which
  /// would truncate it in a database.
  static func decode(
    _ start: JSONScanner.Position, _ count: Int, _ traits: JSONScanner.TextTraits
  ) -> String? {
    let raw = UnsafeBufferPointer(start: start, count: count)
    if traits.hasEscapes {
      let (bytes, isValid) = JSONEscapes.decode(UnsafeRawBufferPointer(raw))
      return isValid && !bytes.contains(0) ? String(validating: bytes, as: UTF8.self) : nil
    }
    if !traits.hasNonASCII { return String(decoding: raw, as: UTF8.self) }
    return String(validating: raw, as: UTF8.self)
  }
}
