import Foundation
import OffersCore
import OffersStore

/// A printer of an aligned table. On a terminal, columns that the user chose and that do not fit
/// are left out, and a note names them.
struct TablePrinter: OfferPrinter {
  private let cells: OfferCells
  private let style: Style
  private let totalWidth = Terminal.width
  /// The columns, of which the table has the first ones, and the words for the values in them.
  private var shown: (table: Table, columns: [OfferColumn], count: Int, words: ValueWords)?

  init(_ cells: OfferCells, _ style: Style) {
    self.style = style
    self.cells = cells
  }

  mutating func print(_ page: [ListedOffer]) throws {
    var text: PrintedText = ""
    if shown == nil { text = "\(begin(page))\n" }
    guard let (table, columns, count, words) = shown else { return }
    for found in page {
      let row = Array(cells.shown(found, columns, words).prefix(count))
      text += "\(cells.line(row, of: found, in: table, totalWidth, style))\n"
    }
    try Output.print(text, terminator: "")
  }

  /// Determines the columns and their widths from the rows of the first page, and returns the
  /// header.
  private mutating func begin(_ page: [ListedOffer]) -> PrintedText {
    let words = ValueWords(cells.feeds, of: page.map(\.offer))
    let columns = cells.columns(of: page, words)
    let rows = page.map { cells.shown($0, columns, words) }
    var heads = columns.map { $0.tableColumn(words) }
    if !cells.isUsual, let totalWidth {
      let count = Table.countThatFits(heads, sample: rows, totalWidth: totalWidth)
      heads = Array(heads.prefix(count))
    }
    let table = Table(columns: heads, sample: rows, totalWidth: totalWidth)
    shown = (table, columns, heads.count, words)
    return style.bold(table.header)
  }

  /// Prints the note about columns that were left out. For an empty list it prints nothing, not
  /// even a header, because the command says why the list is empty.
  func finish(_ rest: JSONObject) throws {
    guard let totalWidth, let (_, columns, count, _) = shown, count < columns.count else { return }
    let names = columns.dropFirst(count).map(\.rawValue).joined(separator: ", ")
    let text = "No room for \(names): the terminal is too narrow."
    Output.note(.text(DisplayText.wrap(text, totalWidth).joined(separator: "\n")))
  }
}

/// A printer of a table in GitHub Flavored Markdown
/// (https://github.github.com/gfm/#tables-extension-).
struct MarkdownPrinter: OfferPrinter {
  private let cells: OfferCells
  private var shown: (columns: [OfferColumn], words: ValueWords)?

  init(_ cells: OfferCells) { self.cells = cells }

  mutating func print(_ page: [ListedOffer]) throws {
    var text = head(page)
    guard let (columns, words) = shown else { return }
    for found in page {
      text += Self.line(cells.shown(found, columns, words).map(Self.escaped))
    }
    try Output.print(.text(text), terminator: "")
  }

  mutating func finish(_ rest: JSONObject) throws {
    try Output.print(.text(head([])), terminator: "")
  }

  private mutating func head(_ page: [ListedOffer]) -> String {
    if shown != nil { return "" }
    let words = ValueWords(cells.feeds, of: page.map(\.offer))
    let columns = cells.columns(of: page, words)
    shown = (columns, words)
    let heads = columns.map { $0.tableColumn(words) }
    return Self.line(heads.map { $0.title == " " ? "" : $0.title })
      + Self.line(heads.map { $0.isRight ? "--:" : "---" })
  }

  private static func line(_ cells: [String]) -> String {
    "| " + cells.joined(separator: " | ") + " |\n"
  }

  /// Escapes characters that have a meaning in Markdown or HTML inside of a line with backslashes.
  static func escaped(_ cell: String) -> String {
    guard cell.utf8.contains(where: signs.contains) else { return cell }
    var result: [UInt8] = []
    for byte in cell.utf8 {
      if signs.contains(byte) { result.append(0x5C) }
      result.append(byte)
    }
    return String(decoding: result, as: UTF8.self)
  }

  private static let signs = Array(#"\|`*_[]<>&~"#.utf8)
}

/// The cells of a row in the formats for people. The name of a gone or expired offer begins with
/// its mark, unless another column shows the same.
struct OfferCells {
  let columns: [OfferColumn]
  /// Whether the columns are the default ones, of which an empty one may be left out, and in which
  /// the byline of an offer follows its name.
  let isUsual: Bool
  let feeds: FeedPresentations
  /// The time at which offers count as expired.
  let now: Date

  /// Whether the offers are printed with the users who share them.
  var hasSharers: Bool { columns.contains(.sharedBy) }

  /// The columns of a list that begins with a page: of the default ones without that of the rewards
  /// if the page is the whole list and has none.
  func columns(of page: [ListedOffer], _ words: ValueWords) -> [OfferColumn] {
    guard isUsual, words.isEmpty, !page.isEmpty, page.count < OfferPages.size else {
      return columns
    }
    return columns.filter { $0 != .reward }
  }

  /// The line of an offer in a table, which is faint for a gone or expired one. On a terminal, the words that a
  /// search found are bold, and if none is in the name, a second line shows the first field that has one.
  func line(
    _ row: [String], of found: ListedOffer, in table: Table, _ width: Int?, _ style: Style
  ) -> PrintedText {
    let offer = found.offer
    let line = table.line(row)
    guard let match = found.match else {
      return offer.isGone || offer.isExpired(at: now) ? style.faint(line) : .text(line)
    }
    guard let width else { return .text(line) }
    if match.field == .name {
      let mark = mark(of: offer, columns)
      let shift = mark.unicodeScalars.count
      let name = MarkedText(
        mark + offer.name + feeds.bylineSuffix(of: offer.offer),
        ranges: match.scalarRanges.map { $0.lowerBound + shift..<$0.upperBound + shift })
      return table.line(row) { name.text($0 ?? width, style) }
    }
    let attribute = match.attribute(of: offer.offer)
    // The byline already shows the value of its attributes.
    if let attribute, feeds[offer.ref.feed].byline.contains(attribute.label) { return .text(line) }
    let label =
      switch match.field {
      case .name: "Name"
      case .description: "Description"
      case .terms: "Terms"
      case .retailer: "Sold by"
      case .categories: "Category"
      case .attributes: attribute.map { DisplayText.fit(DisplayText.oneLine($0.label), 24) } ?? ""
      }
    let columns = width - DisplayText.width(label) - 5
    let snippet = MarkedText(match.text, ranges: match.scalarRanges).lead(columns / 3)
    return "\(line)\n   \(style.faint(label)): \(snippet.text(columns, style))"
  }

  func shown(_ found: ListedOffer, _ columns: [OfferColumn], _ words: ValueWords) -> [String] {
    columns.map { column in
      let text = column.shown(found, feeds, words, at: now)
      guard column == .name else { return text }
      return mark(of: found.offer, columns) + text
        + (isUsual ? feeds.bylineSuffix(of: found.offer.offer) : "")
    }
  }

  /// The mark of an offer that is gone from its feed or has expired, before its name: `gone: `, `expired: `,
  /// `gone, expired: `, or nothing.
  private func mark(of offer: UserOffer, _ columns: [OfferColumn]) -> String {
    let tellsGone = !columns.contains(.state) && !columns.contains(.goneAt)
    let words = [
      tellsGone && offer.isGone ? "gone" : nil,
      !columns.contains(.expired) && offer.isExpired(at: now) ? "expired" : nil,
    ].compactMap(\.self)
    return words.isEmpty ? "" : words.joined(separator: ", ") + ": "
  }
}

extension FeedPresentations {
  /// The text after the name of an offer in a list, such as ` – Taylor Swift`, in one line and safe
  /// for a terminal; empty if the offer has no byline.
  func bylineSuffix(of offer: Offer) -> String {
    self[offer.ref.feed].byline(of: offer).map { " – " + DisplayText.oneLine($0) } ?? ""
  }
}

/// A printer of separated values: a record with the names of the columns, then a record per offer.
///
/// The values are those of the feed, apart from tabs and line ends in TSV, and from a quote before a formula
/// that a spreadsheet would run. CSV is that of RFC 4180: commas and CRLF; values with a comma, a quote or a
/// line end are quoted. TSV has tabs and LF, for tools that work on lines: a run of tabs and line ends in a
/// value becomes a space; at its start and end it is removed.
struct SeparatedPrinter: OfferPrinter {
  private let columns: [OfferColumn]
  private let format: ListFormat
  private let feeds: FeedPresentations
  private let allowsFormulas: Bool
  private let hasMark: Bool
  private let now: Date
  private var hasHead = false

  /// - Parameters:
  ///   - allowsFormulas: whether values are written as they are, although a spreadsheet may run them.
  ///   - hasMark: whether the text begins with a byte order mark, by which Excel knows UTF-8.
  init(
    _ columns: [OfferColumn], _ format: ListFormat,
    _ feeds: FeedPresentations = FeedPresentations(), now: Date, allowsFormulas: Bool = false,
    hasMark: Bool = false
  ) {
    self.hasMark = hasMark
    self.allowsFormulas = allowsFormulas
    self.feeds = feeds
    self.columns = columns
    self.now = now
    self.format = format
  }

  mutating func print(_ page: [ListedOffer]) throws {
    var text = head()
    for found in page {
      text += record(columns.map { $0.valueForPrograms(found, feeds, at: now) ?? "" })
    }
    try Output.printData(text, terminator: "")
  }

  mutating func finish(_ rest: JSONObject) throws { try Output.printData(head(), terminator: "") }

  private mutating func head() -> String {
    if hasHead { return "" }
    hasHead = true
    return (hasMark ? "\u{FEFF}" : "") + record(columns.map(\.rawValue))
  }

  func record(_ values: [String]) -> String {
    let values = allowsFormulas ? values : values.map(SpreadsheetFormula.disarmed)
    return format == .tsv
      ? values.map(Self.spaced).joined(separator: "\t") + "\n"
      : values.map(Self.quoted).joined(separator: ",") + "\r\n"
  }

  private static let quotedBytes = Array("\",\n\r".utf8)

  /// Quotes a value if necessary. It works on bytes, because as a Character a quote followed by a
  /// combining accent is not equal to a quote, nor is CR LF equal to LF.
  private static func quoted(_ value: String) -> String {
    guard value.utf8.contains(where: { quotedBytes.contains($0) }) else { return value }
    var result: [UInt8] = [0x22]
    for byte in value.utf8 {
      if byte == 0x22 { result.append(byte) }
      result.append(byte)
    }
    return String(decoding: result + [0x22], as: UTF8.self)
  }

  private static func spaced(_ value: String) -> String {
    guard value.utf8.contains(where: isBreak) else { return value }
    let parts = value.utf8.split(whereSeparator: isBreak)
    return parts.map { String(decoding: $0, as: UTF8.self) }.joined(separator: " ")
  }

  /// Whether a byte is a tab, a line feed or a carriage return.
  private static func isBreak(_ byte: UInt8) -> Bool {
    byte == 0x09 || byte == 0x0A || byte == 0x0D
  }
}

/// The places in a value at which a spreadsheet would run a formula, which may start programs and send what
/// other cells have (https://owasp.org/www-community/attacks/CSV_Injection).
enum SpreadsheetFormula {
  /// The value with a `'` before each formula. A sign that begins a number, a list item or a word of a
  /// text is none.
  static func disarmed(_ value: String) -> String {
    let scalars = Array(value.unicodeScalars)
    guard scalars.contains(where: { sign($0) != nil }) else { return value }
    var result = String.UnicodeScalarView()
    var isCell = true
    var isWhole = true
    for (index, scalar) in scalars.enumerated() {
      if isCell, let sign = sign(scalar) {
        let rest = scalars[(index + 1)...].prefix { !isEnd($0) }
        if runs(sign, rest, isWhole: isWhole) { result.append("'") }
      }
      // A spreadsheet drops a NUL, the white space before a value, and the quotation marks around it.
      if isEnd(scalar) || scalar == "\0" || scalar == "\"" && isCell {
        isCell = true
      } else {
        isCell = scalar == "," || scalar == ";"
        isWhole = false
      }
      result.append(scalar)
    }
    return String(result)
  }

  /// Whether a spreadsheet runs the text behind a sign.
  ///
  /// - Parameter isWhole: whether the sign begins the value. Any other place is the beginning of a cell only in a
  ///   spreadsheet that divides the line at other signs than it should, so that only what calls a function,
  ///   a program or another sheet counts there.
  private static func runs(
    _ sign: Unicode.Scalar, _ rest: ArraySlice<Unicode.Scalar>, isWhole: Bool
  ) -> Bool {
    let body = rest.drop { $0 == " " }
    guard let first = body.first else { return false }
    if sign == "=" || hasCall(rest) { return true }
    if !isWhole { return false }
    if sign == "@" { return rest.first.map(isLetter) ?? false }
    if first == "+" || first == "-" { return runs(first, body.dropFirst(), isWhole: true) }
    if isLetter(first) || "('\"[{#".unicodeScalars.contains(first) { return true }
    let number = "$€£¥".unicodeScalars.contains(first) ? body.dropFirst() : body
    guard let digit = number.first, isNumeric(digit) else { return first == "$" }
    var rest = number.drop(while: isNumeric)
    if rest.first == "E" || rest.first == "e" {
      let exponent = rest.dropFirst().drop { $0 == "+" || $0 == "-" }
      if exponent.first.map(isNumeric) ?? false { rest = exponent.drop(while: isNumeric) }
    }
    let next = rest.drop { $0 == " " || $0 == "%" }.first
    return next.map { "+-*/^&=<>:".unicodeScalars.contains($0) } ?? false
  }

  /// Whether a text has a call such as `SUM(`, a program such as `cmd|`, or a sheet such as `A!B1`.
  private static func hasCall(_ text: ArraySlice<Unicode.Scalar>) -> Bool {
    zip(text, text.dropFirst()).contains { first, second in
      isLetter(first) && (second == "(" || second == "|")
        || first == "!" && (isLetter(second) || second == "$")
    }
  }

  private static func sign(_ scalar: Unicode.Scalar) -> Unicode.Scalar? {
    switch scalar {
    case "=", "\u{FF1D}": "="
    case "+", "\u{FF0B}": "+"
    case "-", "\u{FF0D}": "-"
    case "@", "\u{FF20}": "@"
    default: nil
    }
  }

  private static func isEnd(_ scalar: Unicode.Scalar) -> Bool {
    scalar == "\n" || scalar == "\r" || scalar == "\t"
  }

  private static func isLetter(_ scalar: Unicode.Scalar) -> Bool {
    scalar.properties.isAlphabetic || scalar == "_"
  }

  private static func isNumeric(_ scalar: Unicode.Scalar) -> Bool {
    ("0"..."9").contains(scalar) || ".,'\u{A0}".unicodeScalars.contains(scalar)
  }
}
