/// Reads the markup of an HTML fragment: tags, comments and declarations.
///
/// Remembers which closing delimiters the fragment lacks, so that the fragment is never searched
/// for them again and the work stays linear.
struct HTMLMarkupReader {
  private let html: UnsafeRawBufferPointer
  /// The index of the last `>`; -1 without one.
  private let lastEnd: Int
  /// Whether a tag had no `>` outside quotes up to the fragment's end. From then on quotes are
  /// ignored: a `>` in them ends a tag.
  private var hasOpenQuote = false
  /// Whether a CDATA section has begun. HTML has none; a program that escapes one that it was to
  /// write as it is makes its marks a part of the text, and they are left out.
  private(set) var isInSection = false
  private var lacksScriptEnd = false
  private var lacksStyleEnd = false
  private var lacksTitleEnd = false

  init(_ html: UnsafeRawBufferPointer) {
    self.html = html
    lastEnd = html.lastIndex(of: 0x3E) ?? -1
  }

  /// Reads the markup at a `<`: a comment, a declaration, or a tag, with the contents of a script,
  /// style or title. A `<` of nothing else is appended as text.
  ///
  /// - Returns: the index after the part that was read.
  mutating func readMarkup(at start: Int, _ lines: inout PlainTextWriter, _ out: inout [UInt8])
    -> Int
  {
    let next = start + 1 < html.count ? html[start + 1] : 0
    switch next {
    case 0x21 where stands("--", at: start + 2):
      return commentEnd(from: start + 4)
    case 0x21 where stands("[CDATA[", at: start + 2):
      isInSection = true
      return start + 9
    case 0x21, 0x3F:
      if let end = firstEnd(from: start) { return end }
    case 0x2F:
      if let end = firstEnd(from: start) {
        guard start + 2 < html.count, Self.isLetter(html[start + 2]) else { return end }
        return readTag(at: start, nameStart: start + 2, &lines) ?? end
      }
    case _ where Self.isLetter(next):
      if start < lastEnd, let end = readTag(at: start, nameStart: start + 1, &lines) { return end }
    default: break
    }
    lines.append(html, start..<(start + 1), to: &out)
    return start + 1
  }

  /// The index after the end of a CDATA section at an index; nil if there is none.
  mutating func sectionEnd(at index: Int) -> Int? {
    guard isInSection, stands("]]>", at: index) else { return nil }
    isInSection = false
    return index + 3
  }

  private mutating func readTag(
    at start: Int, nameStart: Int, _ lines: inout PlainTextWriter
  ) -> Int? {
    var nameEnd = nameStart
    while nameEnd < html.count, Self.isInName(html[nameEnd]) { nameEnd += 1 }
    guard let end = tagEnd(from: nameEnd) else { return nil }
    let name = UnsafeRawBufferPointer(rebasing: html[nameStart..<nameEnd])
    guard let element = HTMLElement.find(name) else { return end }
    let isEnd = nameStart == start + 2
    switch element {
    case .paragraph: lines.addBlankLine()
    case .block: lines.addLine()
    case .list: if isEnd { lines.endList() } else { lines.beginList() }
    case .listItem: if isEnd { lines.endItem() } else { lines.beginItem() }
    case .cell: lines.addSpace()
    case .lineBreak: lines.addLineBreak()
    case .code, .title:
      if !isEnd { return contentEnd(of: element, name, from: end) }
    }
    return end
  }

  /// Returns the index after the tag whose name ends at `start`; nil for a tag without an end. A
  /// `>` in a quoted value does not end the tag, unless there is no other one.
  private mutating func tagEnd(from start: Int) -> Int? {
    guard !hasOpenQuote else { return firstEnd(from: start) }
    var index = start
    // A quote delimits a value only after an equals sign.
    var isAtValue = false
    while index < html.count {
      let byte = html[index]
      index += 1
      switch byte {
      case 0x3E: return index
      case 0x3D: isAtValue = true
      case 0x22, 0x27:
        guard isAtValue else { continue }
        isAtValue = false
        while index < html.count, html[index] != byte { index += 1 }
        guard index < html.count else {
          hasOpenQuote = true
          return firstEnd(from: start)
        }
        index += 1
      case 0x20, 0x09, 0x0A, 0x0C, 0x0D: break
      default: isAtValue = false
      }
    }
    hasOpenQuote = true
    return firstEnd(from: start)
  }

  /// The index after the next `>`; nil without one.
  private func firstEnd(from start: Int) -> Int? {
    guard start <= lastEnd else { return nil }
    return html[start...].firstIndex(of: 0x3E).map { $0 + 1 }
  }

  /// The index after a comment; an unclosed comment extends to the end of the fragment.
  ///
  /// - Parameter start: the index after `<!--`.
  private func commentEnd(from start: Int) -> Int {
    if start < html.count, html[start] == 0x3E { return start + 1 }
    if stands("->", at: start) { return start + 2 }
    var index = start
    while index < html.count {
      if html[index] == 0x2D {
        if stands("-->", at: index) { return index + 3 }
        if stands("--!>", at: index) { return index + 4 }
      }
      index += 1
    }
    return html.count
  }

  /// The index of the end tag of an element whose contents are not text.
  ///
  /// Without an end tag, a script or style extends to the end of the fragment, but an element with
  /// a self-closing tag, and a title, has no contents: its own tag's end is returned.
  private mutating func contentEnd(
    of element: HTMLElement, _ name: UnsafeRawBufferPointer, from start: Int
  ) -> Int {
    let isScript = name.count == 6
    let isLacking =
      element == .title ? lacksTitleEnd : isScript ? lacksScriptEnd : lacksStyleEnd
    if !isLacking {
      var index = start
      while index + name.count + 1 < html.count {
        if html[index] == 0x3C, html[index + 1] == 0x2F, isName(name, at: index + 2) {
          return index
        }
        index += 1
      }
    }
    switch element {
    case .title: lacksTitleEnd = true
    default: if isScript { lacksScriptEnd = true } else { lacksStyleEnd = true }
    }
    let closesItself = html[start - 2] == 0x2F
    return element == .title || closesItself ? start : html.count
  }

  /// Whether the tag name at an index is `name`; case is ignored.
  private func isName(_ name: UnsafeRawBufferPointer, at index: Int) -> Bool {
    guard html.count - index >= name.count else { return false }
    for offset in 0..<name.count where html[index + offset] | 0x20 != name[offset] | 0x20 {
      return false
    }
    let end = index + name.count
    return end == html.count || !Self.isInName(html[end])
  }

  private func stands(_ text: StaticString, at index: Int) -> Bool {
    let count = text.utf8CodeUnitCount
    guard html.count - index >= count else { return false }
    for offset in 0..<count where html[index + offset] != text.utf8Start[offset] { return false }
    return true
  }

  private static func isLetter(_ byte: UInt8) -> Bool { (byte | 0x20) &- 0x61 < 26 }

  private static func isInName(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x20, 0x09, 0x0A, 0x0C, 0x0D, 0x2F, 0x3E: false
    default: true
    }
  }
}

/// The effect of an HTML element on the text that HTML is converted to. The raw values are the
/// letters in `table`.
enum HTMLElement: UInt8 {
  /// A block with blank lines around it, such as `p`.
  case paragraph = 0x50
  /// A block on lines of its own, such as `div`.
  case block = 0x44
  /// `ul` and `ol`.
  case list = 0x4C
  /// `li`.
  case listItem = 0x49
  /// `td` and `th`.
  case cell = 0x43
  /// `br`.
  case lineBreak = 0x42
  /// `script` and `style`, whose contents are not text.
  case code = 0x58
  /// `title`, which is not part of the page's text.
  case title = 0x54

  /// Returns the effect of the element with this name, whose case is ignored; nil for none.
  static func find(_ name: UnsafeRawBufferPointer) -> HTMLElement? {
    table.findValue(name, anyCase: true).flatMap { HTMLElement(rawValue: $0[0]) }
  }

  private static var table: StaticLookupTable {
    StaticLookupTable(
      """
      address   D article   D aside     D blockquoteP body      D br        B caption   D
      center    D dd        D details   D div       D dl        D dt        D fieldset  D
      figcaptionD figure    D footer    D form      D h1        P h2        P h3        P
      h4        P h5        P h6        P header    D hr        D li        I main      D
      nav       D ol        L p         P pre       P script    X section   D style     X
      summary   D table     P tbody     D td        C tfoot     D th        C thead     D
      title     T tr        D ul        L\u{20}
      """, nameWidth: 10, valueWidth: 1)
  }
}
