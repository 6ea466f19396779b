import Foundation
import OffersCore

/// A printer of an aligned table. On a terminal, columns that the user chose and that do not fit
/// are left out, and a note names them.
struct TablePrinter: OfferPrinter {
  private let columns: [OfferColumn]
  private let mayLeaveOut: Bool
  private let totalWidth: Int?
  private let style: Style
  private let now: Date
  private var shown: (table: Table, count: Int)?

  /// - Parameters:
  ///   - columns: the columns of the table, from left to right.
  ///   - mayLeaveOut: whether columns that do not fit are left out.
  ///   - totalWidth: the width of the terminal in columns; nil without a terminal.
  ///   - style: the style of the lines.
  ///   - now: the time at which offers count as expired.
  init(
    _ columns: [OfferColumn], mayLeaveOut: Bool, totalWidth: Int? = Terminal.width,
    _ style: Style = .plain, now: Date
  ) {
    self.style = style
    self.now = now
    self.columns = columns
    self.mayLeaveOut = mayLeaveOut
    self.totalWidth = totalWidth
  }

  mutating func print(_ page: [Offer]) throws {
    let rows = page.map { OfferCells.shown($0, columns, at: now) }
    var text = ""
    if shown == nil { text = begin(rows) + "\n" }
    guard let (table, count) = shown else { return }
    for (offer, row) in zip(page, rows) {
      let line = table.line(Array(row.prefix(count)))
      let isFaint = offer.state == .gone || offer.isExpired(at: now)
      text += (isFaint ? style.faint(line) : line) + "\n"
    }
    try Output.printRaw(text)
  }

  /// Determines the columns and their widths from the rows of the first page, and returns the
  /// header.
  private mutating func begin(_ rows: [[String]]) -> String {
    var heads = columns.map(\.tableColumn)
    if mayLeaveOut, let totalWidth {
      let count = Table.countThatFits(heads, sample: rows, totalWidth: totalWidth)
      heads = Array(heads.prefix(count))
    }
    let table = Table(columns: heads, sample: rows, totalWidth: totalWidth)
    shown = (table, heads.count)
    return style.bold(table.header)
  }

  /// Prints the note about columns that were left out. For an empty list it prints nothing, not
  /// even a header, because the command says why the list is empty.
  func finish() throws {
    guard let totalWidth, let count = shown?.count, count < columns.count else { return }
    let names = columns.dropFirst(count).map(\.rawValue).joined(separator: ", ")
    let text = "No room for \(names): the terminal is too narrow."
    Output.note(DisplayText.wrap(text, totalWidth).joined(separator: "\n"))
  }
}

/// A printer of a table in GitHub Flavored Markdown
/// (https://github.github.com/gfm/#tables-extension-).
struct MarkdownPrinter: OfferPrinter {
  private let columns: [OfferColumn]
  private let now: Date
  private var hasHead = false

  /// - Parameters:
  ///   - columns: the columns of the table, from left to right.
  ///   - now: the time at which offers count as expired.
  init(_ columns: [OfferColumn], now: Date) {
    self.columns = columns
    self.now = now
  }

  mutating func print(_ page: [Offer]) throws {
    var text = head()
    for offer in page {
      text += Self.line(OfferCells.shown(offer, columns, at: now).map(Self.escaped))
    }
    try Output.printRaw(text)
  }

  mutating func finish() throws { try Output.printRaw(head()) }

  private mutating func head() -> String {
    if hasHead { return "" }
    hasHead = true
    let rules = columns.map { $0.tableColumn.isRight ? "--:" : "---" }
    return Self.line(columns.map(\.title)) + Self.line(rules)
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
enum OfferCells {
  static func shown(_ offer: Offer, _ columns: [OfferColumn], at now: Date) -> [String] {
    let mark = OfferMark.text(
      offer, at: now, tellsGone: !columns.contains(.state) && !columns.contains(.goneAt),
      tellsExpired: !columns.contains(.expired))
    return columns.map { column in
      let text = column.shown(offer, at: now)
      return column == .name ? mark + text : text
    }
  }
}
