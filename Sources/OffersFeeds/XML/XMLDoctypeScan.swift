/// Finds the end of a document type declaration (XML 1.0, section 2.8), byte by byte, starting
/// after `<!DOCTYPE`.
struct XMLDoctypeScan {
  private enum State {
    /// Outside the internal subset.
    case outer
    /// Between the declarations of the internal subset.
    case subset
    /// After `<` in the internal subset.
    case opened
    /// After `<!`.
    case exclaimed
    /// After `<!-`.
    case dashed
    /// In a declaration of the internal subset.
    case markup
    /// In a comment, after this number of consecutive hyphens.
    case comment(Int)
    /// In a processing instruction, possibly after a `?`.
    case instruction(isAfterMark: Bool)
  }

  /// Whether there is an internal subset, in which the document may declare entities.
  private(set) var hasSubset = false
  /// The names of the declared entities; of more than `nameLimit`, the first ones.
  private(set) var names: Set<[UInt8]> = []
  private var state = State.outer
  private var quote: UInt8?
  /// The start of the current declaration after `<!`, with whitespace collapsed; nil when it does
  /// not declare an entity, or the entity's name has been recorded.
  private var declaration: [UInt8]?

  /// The largest number of names recorded. `XMLTokenReader` refuses a document with more entities.
  private static let nameLimit = 1000
  private static let declarationBytes = 1100

  /// Consumes the next byte; returns true when it ends the document type declaration.
  mutating func isEnd(_ byte: UInt8) -> Bool {
    if let open = quote {
      if byte == open { quote = nil }
      return false
    }
    switch state {
    case .outer:
      if byte == 0x3E { return true }
      if byte == 0x5B {
        hasSubset = true
        state = .subset
      }
      openQuote(byte)
    case .subset:
      if byte == 0x5D { state = .outer }
      if byte == 0x3C { state = .opened }
    case .opened:
      state = byte == 0x21 ? .exclaimed : byte == 0x3F ? .instruction(isAfterMark: false) : .markup
      endMarkup(byte)
    case .exclaimed:
      declaration = []
      state = byte == 0x2D ? .dashed : .markup
      endMarkup(byte)
    case .dashed:
      state = byte == 0x2D ? .comment(0) : .markup
      endMarkup(byte)
    case .markup:
      endMarkup(byte)
    case .comment(let hyphens):
      if byte == 0x3E && hyphens >= 2 {
        state = .subset
      } else {
        state = .comment(byte == 0x2D ? hyphens + 1 : 0)
      }
    case .instruction(let isAfterMark):
      state = isAfterMark && byte == 0x3E ? .subset : .instruction(isAfterMark: byte == 0x3F)
    }
    return false
  }

  private mutating func endMarkup(_ byte: UInt8) {
    guard case .markup = state else { return }
    if declaration != nil { takeName(byte) }
    if byte == 0x3E { state = .subset }
    openQuote(byte)
  }

  /// Consumes the next byte of `ENTITY NAME …`, and records the name once it is complete.
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
