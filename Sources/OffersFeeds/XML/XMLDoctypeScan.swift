/// Finds the end of a document type declaration (XML 1.0, section 2.8), byte by byte, from behind
/// `<!DOCTYPE`.
struct XMLDoctypeScan {
  private enum Place {
    /// Outside of the brackets.
    case outer
    /// Between the declarations in the brackets.
    case subset
    /// Behind a `<` in the brackets, `<!`, and `<!-`.
    case opened
    case exclaimed
    case dashed
    case markup
    /// In a comment, behind so many hyphens.
    case comment(Int)
    case instruction(isAfterMark: Bool)
  }

  /// Whether there are brackets, in which the document may declare names of its own.
  private(set) var hasSubset = false
  /// The names of the entities that it declares, up to `nameLimit`.
  private(set) var names: Set<[UInt8]> = []
  private var place = Place.outer
  private var quote: UInt8?
  /// The start of the declaration at hand, with one space for any; nil when no name is looked for.
  private var declaration: [UInt8]?

  /// A reader refuses a document with more.
  private static let nameLimit = 1000
  private static let declarationBytes = 1100

  /// Takes the next byte; returns true when it ends the declaration.
  mutating func isEnd(_ byte: UInt8) -> Bool {
    if let open = quote {
      if byte == open { quote = nil }
      return false
    }
    switch place {
    case .outer:
      if byte == 0x3E { return true }
      if byte == 0x5B {
        hasSubset = true
        place = .subset
      }
      openQuote(byte)
    case .subset:
      if byte == 0x5D { place = .outer }
      if byte == 0x3C { place = .opened }
    case .opened:
      place = byte == 0x21 ? .exclaimed : byte == 0x3F ? .instruction(isAfterMark: false) : .markup
      endMarkup(byte)
    case .exclaimed:
      declaration = []
      place = byte == 0x2D ? .dashed : .markup
      endMarkup(byte)
    case .dashed:
      place = byte == 0x2D ? .comment(0) : .markup
      endMarkup(byte)
    case .markup:
      endMarkup(byte)
    case .comment(let hyphens):
      if byte == 0x3E && hyphens >= 2 {
        place = .subset
      } else {
        place = .comment(byte == 0x2D ? hyphens + 1 : 0)
      }
    case .instruction(let isAfterMark):
      place = isAfterMark && byte == 0x3E ? .subset : .instruction(isAfterMark: byte == 0x3F)
    }
    return false
  }

  private mutating func endMarkup(_ byte: UInt8) {
    guard case .markup = place else { return }
    if declaration != nil { takeName(byte) }
    if byte == 0x3E { place = .subset }
    openQuote(byte)
  }

  /// Takes the next byte of `ENTITY NAME …`, and the name when it ends.
  private mutating func takeName(_ byte: UInt8) {
    let isSpace = byte <= 0x20
    if isSpace, declaration?.last == 0x20 { return }
    declaration?.append(isSpace ? 0x20 : byte)
    guard let text = declaration else { return }
    let keyword = Array("ENTITY ".utf8)
    if text.count > Self.declarationBytes
      || !text.prefix(keyword.count).elementsEqual(keyword.prefix(text.count))
    {
      declaration = nil
    } else if isSpace, text.count > keyword.count {
      if names.count < Self.nameLimit {
        names.insert(Array(text[keyword.count..<(text.count - 1)]))
      }
      declaration = nil
    }
  }

  private mutating func openQuote(_ byte: UInt8) {
    if byte == 0x22 || byte == 0x27 { quote = byte }
  }
}
