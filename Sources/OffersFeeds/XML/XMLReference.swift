/// The classification of an ampersand in XML text, by the bytes after it.
enum XMLReference: Equatable {
  /// A reference that is left to the XML parser, with its length in bytes.
  case sound(Int)
  /// A reference that is valid only in HTML, with its character and its length in bytes.
  case character(UInt32, Int)
  /// A numeric reference to a character that XML forbids, with its length in bytes.
  case forbidden(Int)
  /// No reference: the ampersand means itself.
  case none
  /// More bytes are needed to classify the ampersand.
  case open

  /// The number of bytes that always suffice to classify an ampersand. HTML's longest name has 31.
  static let neededBytes = 64

  /// Classifies the ampersand at `start`.
  ///
  /// - Parameters:
  ///   - bytes: the text that contains the ampersand.
  ///   - start: the index of the ampersand.
  ///   - hasOwnNames: whether the document may declare entities, so that unknown names may be
  ///     valid.
  ///   - isLast: whether no more bytes follow.
  ///   - ownNames: the names of the declared entities.
  static func find(
    in bytes: UnsafeRawBufferPointer, at start: Int, hasOwnNames: Bool, isLast: Bool,
    ownNames: Set<[UInt8]> = []
  ) -> XMLReference {
    let end = min(start + neededBytes, bytes.count)
    let isCut = end < start + neededBytes && !isLast
    let window = bytes.slice(start, end)
    guard window.count > 1 else { return isCut ? .open : .none }
    if window[1] == 0x23 { return findNumber(in: window, isCut: isCut) }
    var index = 1
    while index < window.count, isNameByte(window[index], isFirst: index == 1) { index += 1 }
    if index == window.count {
      if isCut { return .open }
      return hasOwnNames && !isLast ? .sound(index) : .none
    }
    guard index > 1, window[index] == 0x3B else { return .none }
    let name = window.slice(1, index)
    if isOwnOfXML(name) { return .sound(index + 1) }
    if hasOwnNames, ownNames.contains(Array(name)) { return .sound(index + 1) }
    if let scalar = HTMLEntities.findScalar(name) { return .character(scalar, index + 1) }
    return hasOwnNames ? .sound(index + 1) : .none
  }

  private static func findNumber(
    in window: UnsafeRawBufferPointer, isCut: Bool
  ) -> XMLReference {
    guard window.count > 2 else { return isCut ? .open : .none }
    let (number, index) = HTMLMarkupReader.readNumber(in: window, from: 2)
    if index == window.count { return isCut ? .open : .none }
    guard let number, window[index] == 0x3B else { return .none }
    guard isAllowed(number) else { return .forbidden(index + 1) }
    if case 0x80...0x9F = number {
      return .character(HTMLMarkupReader.character(of: number), index + 1)
    }
    // XML requires a lower-case x.
    return window[2] == 0x58 ? .character(number, index + 1) : .sound(index + 1)
  }

  /// The characters that XML 1.0 allows (section 2.2).
  private static func isAllowed(_ scalar: UInt32) -> Bool {
    switch scalar {
    case 0x09, 0x0A, 0x0D, 0x20..<0xD800, 0xE000...0xFFFD, 0x1_0000..<0x11_0000: true
    default: false
    }
  }

  private static func isNameByte(_ byte: UInt8, isFirst: Bool) -> Bool {
    switch byte {
    case 0x41...0x5A, 0x61...0x7A, 0x5F, 0x3A, 0x80...0xFF: true
    case 0x30...0x39, 0x2D, 0x2E: !isFirst
    default: false
    }
  }

  private static func isOwnOfXML(_ name: UnsafeRawBufferPointer) -> Bool {
    let names: (StaticString, StaticString, StaticString, StaticString, StaticString) = (
      "amp", "lt", "gt", "quot", "apos"
    )
    func isName(_ known: StaticString) -> Bool {
      name.count == known.utf8CodeUnitCount && name.matches(known, at: 0) == true
    }
    return isName(names.0) || isName(names.1) || isName(names.2) || isName(names.3)
      || isName(names.4)
  }
}
