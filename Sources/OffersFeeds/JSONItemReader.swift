import OffersCore

/// Reads one JSON object into the texts of an offer, following the definition's paths.
///
/// Keys that no path needs are checked and passed over. A key that comes twice counts the last
/// time, as in most JSON readers (RFC 8259 leaves it open).
struct JSONItemReader {
  /// What stood where a field was expected.
  private enum Found {
    case nothing
    case text
    case mendedText
    case wrong(StaticString)
  }

  /// What became of the object.
  enum Result {
    case offer(OfferTexts, mended: String?)
    case noOffer(id: UnsafeRawBufferPointer?, reason: String)
  }

  private let tree: FieldTree
  private var decoder: JSONTextDecoder
  private var texts = OfferTexts()
  private var found = [Found](repeating: .nothing, count: OfferField.count)
  private var isClean = true

  /// Longest id kept, in bytes; longer ones are no identity but an accident.
  static let idLimitBytes = 1024

  init(tree: FieldTree, arena: UnsafeMutablePointer<UInt8>) {
    self.tree = tree
    decoder = JSONTextDecoder(arena: arena)
  }

  /// Reads the object at `p`, and moves `p` behind it. The result's texts are valid until the next
  /// call.
  mutating func read(
    _ scanner: JSONScanner, _ p: inout JSONScanner.Position, depth: Int
  ) throws(JSONStop) -> Result {
    decoder.reset()
    texts = OfferTexts()
    if !isClean {
      for index in found.indices { found[index] = .nothing }
      isClean = true
    }
    try readObject(scanner, &p, FieldTree.root, depth: depth)
    return result()
  }

  private mutating func readObject(
    _ scanner: JSONScanner, _ p: inout JSONScanner.Position, _ node: Int, depth: Int
  ) throws(JSONStop) {
    if depth >= JSONScanner.depthLimit { throw scanner.stop(p, .tooDeep) }
    p += 1
    scanner.skipWhitespace(&p)
    if p.pointee == 0x7D {
      p += 1
      return
    }
    while true {
      scanner.skipWhitespace(&p)
      var traits = JSONScanner.TextTraits()
      var key = try scanner.scanKey(&p, &traits)
      if traits.hasEscapes {
        var wasMended = false
        key = decoder.decode(key, traits, wasMended: &wasMended)
      }
      if let child = tree.child(of: node, key) {
        try readValue(scanner, &p, child, depth: depth + 1)
      } else {
        try scanner.skipValue(&p, depth: depth + 1)
      }
      scanner.skipWhitespace(&p)
      switch p.pointee {
      case 0x2C: p += 1
      case 0x7D:
        p += 1
        return
      default: throw scanner.stop(p, .expectedCommaOrBrace)
      }
    }
  }

  @inline(__always)
  private mutating func readValue(
    _ scanner: JSONScanner, _ p: inout JSONScanner.Position, _ node: Int, depth: Int
  ) throws(JSONStop) {
    if tree.hasChildren(node) { clear(below: node) }
    switch p.pointee {
    case 0x22:
      p += 1
      let start = p
      var traits = JSONScanner.TextTraits()
      try scanner.scanText(&p, &traits)
      let raw = UnsafeRawBufferPointer(start: start, count: p - start)
      p += 1
      if let field = tree.field(of: node) { keep(raw, traits, field) }
    case 0x2D, 0x30...0x39:
      let start = p
      try scanner.scanNumber(&p)
      if let field = tree.field(of: node) {
        texts[field] = UnsafeRawBufferPointer(start: start, count: p - start)
        note(.text, field)
      }
    case 0x6E:
      try scanner.scanLiteral(&p)
      if let field = tree.field(of: node) {
        texts[field] = nil
        note(.nothing, field)
      }
    case 0x7B where tree.hasChildren(node):
      if let field = tree.field(of: node) { refuse("an object", field) }
      try readObject(scanner, &p, node, depth: depth)
    default:
      let kind: StaticString =
        p.pointee == 0x7B ? "an object" : p.pointee == 0x5B ? "a list" : "true or false"
      try scanner.skipValue(&p, depth: depth)
      if let field = tree.field(of: node) { refuse(kind, field) }
    }
  }

  @inline(__always)
  private mutating func keep(
    _ raw: UnsafeRawBufferPointer, _ traits: JSONScanner.TextTraits, _ field: OfferField
  ) {
    if raw.count == 0 {
      texts[field] = nil
      note(.nothing, field)
      return
    }
    var wasMended = false
    texts[field] = decoder.decode(raw, traits, wasMended: &wasMended)
    note(wasMended ? .mendedText : .text, field)
  }

  /// Forgets what an earlier value of the same key held further down.
  private mutating func clear(below node: Int) {
    for child in tree.children(of: node) {
      if let field = tree.field(of: child) {
        texts[field] = nil
        note(.nothing, field)
      }
      clear(below: child)
    }
  }

  private mutating func refuse(_ kind: StaticString, _ field: OfferField) {
    texts[field] = nil
    note(.wrong(kind), field)
  }

  @inline(__always)
  private mutating func note(_ what: Found, _ field: OfferField) {
    switch what {
    case .nothing, .text:
      // Only an earlier value of the same key can have left something to clear.
      if isClean { return }
    case .mendedText, .wrong:
      isClean = false
    }
    found[field.rawValue] = what
  }

  private func result() -> Result {
    let isIDUsable: Bool
    if case .mendedText = found[OfferField.id.rawValue] {
      isIDUsable = false
    } else {
      isIDUsable = true
    }
    guard let id = texts.id, isIDUsable, !Self.isBlank(id) else {
      return .noOffer(id: nil, reason: reasonForMissing(.id))
    }
    if id.count > Self.idLimitBytes {
      return .noOffer(id: nil, reason: "id is longer than \(Self.idLimitBytes) bytes")
    }
    guard let name = texts.name, !Self.isBlank(name) else {
      return .noOffer(id: id, reason: reasonForMissing(.name))
    }
    return .offer(texts, mended: isClean ? nil : mendedReason())
  }

  private func reasonForMissing(_ field: OfferField) -> String {
    switch found[field.rawValue] {
    case .wrong(let kind): "\(field.name) is \(kind), expected text"
    case .mendedText: "\(field.name) is not valid Unicode"
    default: "no \(field.name)"
    }
  }

  private func mendedReason() -> String? {
    let parts = OfferField.allCases.compactMap { field -> String? in
      switch found[field.rawValue] {
      case .wrong(let kind): "\(field.name) is \(kind), left out"
      case .mendedText: "\(field.name) is not valid Unicode, marked with \u{FFFD}"
      default: nil
      }
    }
    return parts.isEmpty ? nil : parts.joined(separator: "; ")
  }

  private static func isBlank(_ text: UnsafeRawBufferPointer) -> Bool {
    text.allSatisfy { $0 <= 0x20 }
  }
}
