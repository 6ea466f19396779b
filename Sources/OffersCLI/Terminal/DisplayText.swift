import OffersCore

/// Text for a terminal: control characters are replaced, and widths are measured in columns.
enum DisplayText {
  /// Replaces characters that could control a terminal or reorder a line: C0 controls and DEL by
  /// their control pictures (U+2400…); C1 controls, bidirectional controls, line and paragraph
  /// separators, U+FEFF and tag characters by U+FFFD. Tabs and line feeds stay, and so do carriage
  /// returns before a line feed.
  static func harmless(_ text: String) -> String {
    guard text.unicodeScalars.contains(where: SafeText.isHarmful) else { return text }
    var result = String.UnicodeScalarView()
    var scalars = text.unicodeScalars.makeIterator()
    var next = scalars.next()
    while let scalar = next {
      next = scalars.next()
      let isLineEnd = scalar == "\r" && next == "\n"
      result.append(SafeText.isHarmful(scalar) && !isLineEnd ? replacement(for: scalar) : scalar)
    }
    return String(result)
  }

  /// The text with each character that is not a line feed in a column of its own or none: like
  /// `harmless`, with tabs replaced by spaces, and all carriage returns replaced.
  static func safe(_ text: String) -> String {
    guard text.utf8.contains(where: { $0 == 0x09 || $0 == 0x0D }) else { return harmless(text) }
    var result = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      result.append(scalar == "\t" ? " " : scalar == "\r" ? "\u{240D}" : scalar)
    }
    return harmless(String(result))
  }

  /// The text in one line, made safe as by `safe`. Each run of line feeds becomes a space; at the
  /// start and the end it is removed.
  static func oneLine(_ text: String) -> String {
    guard text.utf8.contains(0x0A) else { return safe(text) }
    // Splits by scalars, because CR LF is a single Character, which is not equal to LF.
    let lines = text.unicodeScalars.split(separator: "\n").map { String(Substring($0)) }
    return safe(lines.joined(separator: " "))
  }

  private static func replacement(for scalar: Unicode.Scalar) -> Unicode.Scalar {
    switch scalar.value {
    case 0x00..<0x20: Unicode.Scalar(0x2400 + scalar.value) ?? "\u{FFFD}"
    case 0x7F: "\u{2421}"
    default: "\u{FFFD}"
    }
  }

  /// The width of a safe text in columns: 1 for ™ and ®, 2 for 日 and 🍓, 0 for a combining mark.
  static func width(_ text: String) -> Int {
    if text.utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7F }) { return text.utf8.count }
    return text.reduce(0) { $0 + width($1) }
  }

  /// The width of a character in columns: 2 for a flag and with an emoji variation selector
  /// (U+FE0F), otherwise the width of its widest scalar.
  static func width(_ character: Character) -> Int {
    let scalars = character.unicodeScalars
    if scalars.contains("\u{FE0F}") { return 2 }
    if let first = scalars.first, (0x1F1E6...0x1F1FF).contains(first.value), scalars.count > 1 {
      return 2
    }
    return scalars.reduce(0) { max($0, width($1)) }
  }

  private static func width(_ scalar: Unicode.Scalar) -> Int {
    if scalar.value < 0x300 { return 1 }
    switch scalar.properties.generalCategory {
    case .nonspacingMark, .enclosingMark, .format: return 0
    default: break
    }
    if scalar.properties.isEmojiPresentation { return 2 }
    return isWide(scalar.value) ? 2 : 1
  }

  /// Whether a scalar is in a larger range of East Asian Wide or Fullwidth characters (Unicode
  /// Standard Annex 11). Emoji are not in these ranges.
  private static func isWide(_ scalar: UInt32) -> Bool {
    switch scalar {
    case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0x4DBF, 0x4E00...0xA4CF, 0xA960...0xA97C,
      0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF01...0xFF60, 0xFFE0...0xFFE6,
      0x17000...0x18CFF, 0x1B000...0x1B2FF, 0x20000...0x3FFFD:
      true
    default: false
    }
  }

  /// Truncates a text to at most the given number of columns, including an ellipsis at the end if
  /// anything is cut. For less than one column such a text becomes empty.
  static func fit(_ text: String, _ columns: Int) -> String {
    if width(text) <= columns { return text }
    if columns < 1 { return "" }
    var result = ""
    var used = 0
    for character in text {
      let next = width(character)
      if used + next > columns - 1 { break }
      result.append(character)
      used += next
    }
    while result.last == " " { result.removeLast() }
    return result + "…"
  }

  /// Shortens a text in the middle to at most the given number of columns, including an ellipsis.
  /// Two thirds of what is kept are its end, which tells the addresses of a site apart.
  static func fitMiddle(_ text: String, _ columns: Int) -> String {
    if width(text) <= columns { return text }
    if columns < 5 { return fit(text, columns) }
    let start = fit(text, columns / 3)
    var end: [Character] = []
    var used = width(start)
    for character in text.reversed() {
      used += width(character)
      if used > columns { break }
      end.append(character)
    }
    return start + String(end.reversed())
  }

  /// The lines of a text behind a label: on a terminal wrapped, with the further lines indented.
  static func hanging(
    _ label: String, _ text: String, indent: Int? = nil, width: Int?
  ) -> [String] {
    guard let width else { return [label + text] }
    let indent = indent ?? Self.width(label)
    return wrap(text, max(20, width - indent)).enumerated().map {
      ($0 == 0 ? label : pad("", indent)) + $1
    }
  }

  /// Wraps each line of a text, and indents the lines that it is broken into as its beginning.
  static func wrapIndented(_ text: String, _ columns: Int) -> String {
    text.split(scalar: "\n", omittingEmptySubsequences: false).flatMap { line -> [String] in
      if width(String(line)) <= columns { return [String(line)] }
      let indent = String(line.prefix { $0 == " " })
      return wrap(String(line), max(20, columns - indent.count)).map { indent + $0 }
    }.joined(separator: "\n")
  }

  /// Pads a text with spaces on the right to the given number of columns. A wider text stays.
  static func pad(_ text: String, _ columns: Int) -> String {
    text + String(repeating: " ", count: max(0, columns - width(text)))
  }

  /// Pads a text with spaces on the left to the given number of columns. A wider text stays.
  static func padLeft(_ text: String, _ columns: Int) -> String {
    String(repeating: " ", count: max(0, columns - width(text))) + text
  }

  /// Wraps a text at spaces into lines of at most the given number of columns. Line feeds remain
  /// line breaks, runs of spaces become one space, and a word that is wider than a line is not
  /// broken.
  static func wrap(_ text: String, _ columns: Int) -> [String] {
    text.split(scalar: "\n", omittingEmptySubsequences: false).flatMap { paragraph in
      var lines: [String] = []
      var line = ""
      var used = 0
      for word in paragraph.split(scalar: " ") {
        let wordWidth = width(String(word))
        if used > 0, used + 1 + wordWidth > columns {
          lines.append(line)
          line = ""
          used = 0
        }
        if used > 0 {
          line += " "
          used += 1
        }
        line += String(word)
        used += wordWidth
      }
      lines.append(line)
      return lines
    }
  }
}

extension DisplayText {
  /// The width of the first number in a text, with the sign or word of its unit; 0 without a number.
  static func numberWidth(_ text: String) -> Int {
    findNumber(in: text).map { width(String($0)) } ?? 0
  }

  /// Truncates a text as `fit` does, but never within its first number. If nothing else fits, the words
  /// before the number give way, too; a number that is too wide stays whole.
  static func fitNumber(_ text: String, _ columns: Int) -> String {
    guard width(text) > columns, let number = findNumber(in: text) else {
      return fit(text, columns)
    }
    if width(String(text[..<number.endIndex])) < columns { return fit(text, columns) }
    let start = number.startIndex > text.startIndex ? "…" : ""
    let end = number.endIndex < text.endIndex ? "…" : ""
    return [start + number + end, number + end].map { String($0) }.first { width($0) <= columns }
      ?? String(number)
  }

  /// The columns up to which a number is never truncated. A wider one is no amount, but a text that a feed made up.
  private static let widest = 24

  /// The word with the first digit. Bare digits are one number with the groups of digits and the unit of
  /// at most three characters behind them, such as `1 299,00 kr`, or with the unit before, as in
  /// `CHF 12.90`.
  private static func findNumber(in text: String) -> Substring? {
    let words = text.split(whereSeparator: \.isWhitespace)
    guard let first = words.firstIndex(where: { $0.contains(where: isDigit) }) else { return nil }
    var range = first...first
    func isBare(_ index: Int) -> Bool {
      words[index].allSatisfy { isDigit($0) || ".,'’".contains($0) }
    }
    func isUnit(_ index: Int) -> Bool {
      words.indices.contains(index) && words[index].count <= 3
        && !words[index].contains(where: isDigit)
    }
    while isBare(range.upperBound), words.indices.contains(range.upperBound + 1),
      words[range.upperBound + 1].first.map(isDigit) == true
    {
      range = first...range.upperBound + 1
    }
    if isBare(first), isBare(range.upperBound) {
      if isUnit(range.upperBound + 1) {
        range = first...range.upperBound + 1
      } else if isUnit(first - 1) {
        range = first - 1...range.upperBound
      }
    }
    let number = text[words[range.lowerBound].startIndex..<words[range.upperBound].endIndex]
    return width(String(number)) > widest ? nil : number
  }

  private static func isDigit(_ character: Character) -> Bool { character.isWholeNumber }
}

/// The words for the rewards and prices of a list: the title of their column and the texts in it.
struct ValueWords {
  private let feeds: FeedPresentations
  /// The roles of the values in the list.
  private let roles: Set<ValueRole>

  init(_ feeds: FeedPresentations, of values: some Sequence<(feed: String, reward: Reward?)>) {
    self.feeds = feeds
    roles = Set(values.lazy.filter { $0.reward != nil }.map { feeds[$0.feed].valueRole })
  }

  init(_ feeds: FeedPresentations, of offers: [UserOffer]) {
    self.init(feeds, of: offers.lazy.map { ($0.ref.feed, $0.reward) })
  }

  /// Whether no row has a value.
  var isEmpty: Bool { roles.isEmpty }

  /// The title of the column: what all its values are, or `VALUE` for both rewards and prices.
  var title: String {
    if roles.count > 1 { return "VALUE" }
    return (roles.first ?? .reward).rawValue.uppercased()
  }

  /// A value as text in one line, safe for a terminal; `–` for none. Beside rewards, a price is
  /// named as one.
  func text(_ reward: Reward?, of feed: String) -> String {
    reward.map { text($0.text, of: feed) } ?? "–"
  }

  func text(_ text: String, of feed: String) -> String {
    let word = roles.count > 1 && feeds[feed].valueRole == .price ? "price " : ""
    return word + DisplayText.oneLine(text)
  }
}

extension Units {
  /// How often something happened, such as `once` or `12 times`.
  static func times(_ count: Int) -> String {
    count == 1 ? "once" : "\(Units.count(count)) times"
  }
}
