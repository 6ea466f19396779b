/// Assembles plain text with pending whitespace. Spaces and line breaks are written only when more
/// text follows, so that no line ends in a space, the text does not end in a line break, and blank
/// lines are never doubled.
struct PlainTextWriter {
  private enum Gap: Int {
    case none
    case space
    case line
    case blankLine
  }

  private var gap = Gap.none
  private var isEmpty = true
  /// The number of no-break spaces at the start of the current line. They are written when other text
  /// follows on the line, and dropped if none does.
  private var heldSpaces = 0
  private var hasBullet = false
  /// The number of lists around the text.
  private var depth = 0

  mutating func append(
    _ text: UnsafeRawBufferPointer, _ range: Range<Int>, to out: inout [UInt8]
  ) {
    guard !range.isEmpty else { return }
    begin(&out)
    out.append(contentsOf: UnsafeRawBufferPointer(rebasing: text[range]))
  }

  /// Appends a character. Whitespace of ASCII becomes a single pending space.
  ///
  /// - Parameters:
  ///   - scalar: a Unicode scalar value; a surrogate or an out-of-range value is replaced by
  ///     U+FFFD.
  ///   - out: the text so far, to which the character is added.
  mutating func append(scalar: UInt32, to out: inout [UInt8]) {
    switch scalar {
    case 0x20, 0x09, 0x0A, 0x0C, 0x0D: addSpace()
    case 0xA0 where isEmpty || gap.rawValue >= Gap.line.rawValue: heldSpaces += 1
    default:
      begin(&out)
      out.append(contentsOf: UTF8.encode(Unicode.Scalar(scalar) ?? "\u{FFFD}") ?? .init())
    }
  }

  mutating func addSpace() {
    if gap == .none { gap = .space }
  }

  /// Ends the line, unless it is empty or an item without text so far.
  mutating func addLine() {
    guard !hasBullet else { return }
    raise(to: .line)
  }

  /// Ends the line, and adds a blank line, unless the line is an item without text so far.
  mutating func addBlankLine() {
    guard !hasBullet else { return }
    raise(to: .blankLine)
  }

  /// Ends the line, or adds a blank line if it has ended already, unless the line is an item
  /// without text so far.
  mutating func addLineBreak() {
    guard !hasBullet else { return }
    raise(to: gap.rawValue >= Gap.line.rawValue ? .blankLine : .line)
  }

  mutating func beginList() {
    endItem(gapBefore: depth == 0 ? .blankLine : .line)
    depth += 1
  }

  mutating func endList() {
    depth = max(0, depth - 1)
    endItem(gapBefore: depth == 0 ? .blankLine : .line)
  }

  mutating func beginItem() {
    endItem(gapBefore: .line)
    hasBullet = true
  }

  mutating func endItem() {
    endItem(gapBefore: .line)
  }

  private mutating func endItem(gapBefore: Gap) {
    hasBullet = false
    raise(to: gapBefore)
  }

  private mutating func raise(to least: Gap) {
    heldSpaces = 0
    if gap.rawValue < least.rawValue { gap = least }
  }

  /// Writes the pending whitespace and bullet before more text.
  private mutating func begin(_ out: inout [UInt8]) {
    guard isEmpty || gap != .none || hasBullet || heldSpaces > 0 else { return }
    if !isEmpty {
      switch gap {
      case .none: break
      case .space: out.append(0x20)
      case .line: out.append(0x0A)
      case .blankLine:
        out.append(0x0A)
        out.append(0x0A)
      }
    }
    if hasBullet {
      let bullet: StaticString = "• "
      out.append(
        contentsOf: UnsafeBufferPointer(start: bullet.utf8Start, count: bullet.utf8CodeUnitCount))
    }
    while heldSpaces > 0 {
      out.append(0xC2)
      out.append(0xA0)
      heldSpaces -= 1
    }
    gap = .none
    hasBullet = false
    isEmpty = false
  }
}
