import OffersCore

/// The start tag of an XML document's root element: its name and its namespace.
struct XMLRootTag {
  /// The local name, without a prefix.
  let name: String
  /// The URI of the namespace; nil when none is declared.
  let namespace: String?

  /// Returns the root's tag of the document with these first bytes; nil when the tag is incomplete.
  static func find(in start: [UInt8]) -> XMLRootTag? {
    var scan = Scan(bytes: start)
    guard scan.skipProlog(), let tag = scan.tag() else { return nil }
    let parts = tag.name.split(scalar: ":", maxSplits: 1, omittingEmptySubsequences: false)
    let declaration = parts.count == 2 ? "xmlns:\(parts[0])" : "xmlns"
    return XMLRootTag(
      name: String(parts[parts.count - 1]),
      namespace: tag.attributes.first { $0.name == declaration }?.value)
  }

  /// Scans the bytes before the root element's content.
  private struct Scan {
    let bytes: [UInt8]
    var place = 0

    /// Skips comments, processing instructions and the document type, up to the root's name.
    mutating func skipProlog() -> Bool {
      while let open = bytes[place...].firstIndex(of: 0x3C) {
        place = open + 1
        guard place < bytes.count else { return false }
        if stands("!--") {
          guard skip(behind: "-->") else { return false }
        } else if bytes[place] == 0x3F {
          guard skip(behind: "?>") else { return false }
        } else if bytes[place] == 0x21 {
          guard skipDocumentType() else { return false }
        } else {
          return true
        }
      }
      return false
    }

    private func stands(_ text: StaticString) -> Bool {
      bytes.withUnsafeBytes { $0.matches(text, at: place) == true }
    }

    private mutating func skip(behind text: StaticString) -> Bool {
      while place < bytes.count {
        if stands(text) {
          place += text.utf8CodeUnitCount
          return true
        }
        place += 1
      }
      return false
    }

    /// Skips a document type with its internal subset.
    private mutating func skipDocumentType() -> Bool {
      var type = XMLDoctypeScan()
      while place < bytes.count {
        place += 1
        if type.isEnd(bytes[place - 1]) { return true }
      }
      return false
    }

    /// Returns the name and the attributes of the current tag; nil when it is incomplete.
    mutating func tag() -> (name: String, attributes: [(name: String, value: String)])? {
      let name = word()
      var attributes: [(name: String, value: String)] = []
      while true {
        skipSpaces()
        guard place < bytes.count else { return nil }
        if bytes[place] == 0x3E || bytes[place] == 0x2F { return (name, attributes) }
        let attribute = word()
        skipSpaces()
        guard !attribute.isEmpty, place < bytes.count, bytes[place] == 0x3D else { return nil }
        place += 1
        skipSpaces()
        guard let value = quoted() else { return nil }
        attributes.append((attribute, value))
      }
    }

    private mutating func word() -> String {
      let start = place
      while place < bytes.count, bytes[place] > 0x20, ![0x3D, 0x2F, 0x3E].contains(bytes[place]) {
        place += 1
      }
      return String(decoding: bytes[start..<place], as: UTF8.self)
    }

    private mutating func quoted() -> String? {
      guard place < bytes.count, bytes[place] == 0x22 || bytes[place] == 0x27 else { return nil }
      let start = place + 1
      guard let end = bytes[start...].firstIndex(of: bytes[place]) else { return nil }
      place = end + 1
      return String(decoding: bytes[start..<end], as: UTF8.self)
    }

    private mutating func skipSpaces() {
      while place < bytes.count, bytes[place] <= 0x20 { place += 1 }
    }
  }
}
