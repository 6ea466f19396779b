import OffersCore

/// Checks the `fields` of a change in an export before they are decoded: `{"name":{"from":…,"to":…}}`.
///
/// A feed's offers are within `OfferLimits`, so a change of one has no longer text. One that is longer is
/// refused instead of cut, because no version of the program has written such a change.
struct ChangeFieldsLimits {
  /// The maximum number of JSON values. It suffices for every field before and after the change, with lists as
  /// long as `OfferLimits` allows and longer.
  private static let valueLimit = 16_384

  /// The maximum size of all but the texts: of names, numbers and space.
  private static let otherBytes = 1 << 20

  private let scanner: JSONScanner
  private var valueCount = 0
  private var textBytes = 0
  private var names: Set<String> = []
  /// The field whose values are being read.
  private var name = ""
  /// The maximum size of a text of the field.
  private var limit = OfferLimits.nameBytes
  /// The rest of the maximum size of all texts of the field.
  private var rest = 0

  /// - Parameters:
  ///   - scanner: scans the bytes, which are those of a valid object.
  ///   - p: the start of the object.
  /// - Returns: what is wrong; nil for sound fields.
  static func findFault(_ scanner: JSONScanner, _ p: JSONScanner.Position) throws -> String? {
    var check = ChangeFieldsLimits(scanner: scanner)
    var end = p
    do {
      try check.readFields(&end)
      let isFull = end - p - check.textBytes > Self.otherBytes
      return isFull ? "has more than \(OfferLimits.text(Self.otherBytes)) besides its texts" : nil
    } catch let fault as Fault {
      return fault.reason
    }
  }

  private init(scanner: JSONScanner) { self.scanner = scanner }

  private struct Fault: Error { let reason: String }

  private mutating func readFields(_ p: inout JSONScanner.Position) throws {
    guard scanner.enter(&p, until: 0x7D) else { return }
    repeat {
      name = try readKey(&p)
      if !names.insert(name).inserted { throw Fault(reason: "has “\(name)” twice") }
      // A field that this version does not know is short.
      let field = OfferField.allCases.first { $0.name == name }
      limit = field.map(OfferLimits.bytes) ?? OfferLimits.nameBytes
      // Before and after the change. The value of a reward has short texts beside the printed one.
      rest = 2 * limit * Self.count(of: field) + (1 << 10)
      try readValue(&p)
    } while try scanner.goOn(&p, until: 0x7D)
  }

  /// The maximum number of texts of a field.
  private static func count(of field: OfferField?) -> Int {
    switch field {
    case .categories: OfferLimits.categoryCount
    case .attributes: OfferLimits.attributeCount
    default: 1
    }
  }

  private mutating func readValue(_ p: inout JSONScanner.Position) throws {
    try count()
    switch p.pointee {
    case 0x22:
      p += 1
      let start = p
      var traits = JSONScanner.TextTraits()
      try scanner.scanText(&p, &traits)
      let text = UnsafeRawBufferPointer(start: start, count: p - start)
      textBytes += text.count
      p += 1
      let bytes = Self.decodedBytes(of: text, within: limit)
      if bytes > limit {
        throw Fault(reason: "has a text in “\(name)” of more than \(OfferLimits.text(limit))")
      }
      rest -= bytes
      if rest < 0 { throw Fault(reason: "has more in “\(name)” than an offer may have") }
    case 0x7B:
      guard scanner.enter(&p, until: 0x7D) else { return }
      repeat {
        _ = try readKey(&p)
        try readValue(&p)
      } while try scanner.goOn(&p, until: 0x7D)
    case 0x5B:
      guard scanner.enter(&p, until: 0x5D) else { return }
      repeat {
        scanner.skipWhitespace(&p)
        try readValue(&p)
      } while try scanner.goOn(&p, until: 0x5D)
    default: try scanner.skipValue(&p, depth: 0)
    }
  }

  private mutating func readKey(_ p: inout JSONScanner.Position) throws -> String {
    scanner.skipWhitespace(&p)
    var traits = JSONScanner.TextTraits()
    let key = try scanner.scanKey(&p, &traits)
    guard key.count <= OfferLimits.nameBytes else {
      throw Fault(reason: "has a name of more than \(OfferLimits.text(OfferLimits.nameBytes))")
    }
    try count()
    return String(decoding: key.prefix(60), as: UTF8.self)
  }

  private mutating func count() throws {
    valueCount += 1
    if valueCount > Self.valueLimit {
      throw Fault(reason: "has more than \(Self.valueLimit) values")
    }
  }

  /// The number of bytes of UTF-8 that a JSON text has once its escapes are decoded; of a text that is within
  /// a limit as it is written, the number that it has so.
  private static func decodedBytes(of text: UnsafeRawBufferPointer, within limit: Int) -> Int {
    // No escape is shorter than what it stands for.
    if text.count <= limit { return text.count }
    var count = 0
    var index = 0
    while index < text.count {
      if text[index] != 0x5C {
        count += 1
        index += 1
      } else if index + 5 < text.count, text[index + 1] == 0x75 {
        let code = text[index + 2..<index + 6].reduce(UInt32(0)) {
          $0 << 4 | (ASCII.hexDigit($1) ?? 0)
        }
        // A pair of surrogates, two escapes, stands for 4 bytes.
        count += code < 0x80 ? 1 : code < 0x800 || 0xD800..<0xE000 ~= code ? 2 : 3
        index += 6
      } else {
        count += 1
        index += 2
      }
    }
    return count
  }
}
