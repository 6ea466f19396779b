import Foundation
import OffersCore

/// A printer of an aligned table. On a terminal, columns that the user chose and that do not fit
/// are left out, and a note names them.
struct TablePrinter: OfferPrinter {
  private let cells: OfferCells
  private let totalWidth: Int?
  private let style: Style
  /// The columns, of which the table has the first ones, and the words for the values in them.
  private var shown: (table: Table, columns: [OfferColumn], count: Int, words: ValueWords)?

  /// - Parameters:
  ///   - cells: the columns of the table, and how their values are shown.
  ///   - totalWidth: the width of the terminal in columns; nil without a terminal.
  ///   - style: the style of the lines.
  init(_ cells: OfferCells, totalWidth: Int? = Terminal.width, _ style: Style = .plain) {
    self.style = style
    self.cells = cells
    self.totalWidth = totalWidth
  }

  mutating func print(_ page: [UserOffer]) throws {
    var text: PrintedText = ""
    if shown == nil { text = "\(begin(page))\n" }
    guard let (table, columns, count, words) = shown else { return }
    for offer in page {
      let line = table.line(Array(cells.shown(offer, columns, words).prefix(count)))
      text += "\(cells.line(line, of: offer, style))\n"
    }
    try Output.print(text, terminator: "")
  }

  /// Determines the columns and their widths from the rows of the first page, and returns the
  /// header.
  private mutating func begin(_ page: [UserOffer]) -> PrintedText {
    let words = ValueWords(cells.feeds, of: page)
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
  func finish(_ rest: ListRest?) throws {
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

  mutating func print(_ page: [UserOffer]) throws {
    var text = head(page)
    guard let (columns, words) = shown else { return }
    for offer in page {
      text += Self.line(cells.shown(offer, columns, words).map(Self.escaped))
    }
    try Output.print(.text(text), terminator: "")
  }

  mutating func finish(_ rest: ListRest?) throws {
    try Output.print(.text(head([])), terminator: "")
  }

  private mutating func head(_ page: [UserOffer]) -> String {
    if shown != nil { return "" }
    let words = ValueWords(cells.feeds, of: page)
    let columns = cells.columns(of: page, words)
    shown = (columns, words)
    return Self.head(columns.map { $0.tableColumn(words) })
  }

  /// The first two lines of a table.
  static func head(_ columns: [Table.Column]) -> String {
    line(columns.map { $0.title == " " ? "" : $0.title })
      + line(columns.map { $0.isRight ? "--:" : "---" })
  }

  static func line(_ cells: [String]) -> String {
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
  private let columns: [OfferColumn]
  /// Whether the columns are the default ones, of which an empty one may be left out, and in which
  /// the byline of an offer follows its name.
  let isUsual: Bool
  let feeds: FeedPresentations
  /// The time at which offers count as expired.
  let now: Date

  init(columns: [OfferColumn], isUsual: Bool, feeds: FeedPresentations, now: Date) {
    self.columns = columns
    self.isUsual = isUsual
    self.feeds = feeds
    self.now = now
  }

  /// The columns of a list that begins with a page: of the default ones without that of the rewards
  /// if the page is the whole list and has none.
  func columns(of page: [UserOffer], _ words: ValueWords) -> [OfferColumn] {
    guard isUsual, words.isEmpty, !page.isEmpty, page.count < OfferPage.size else {
      return columns
    }
    return columns.filter { $0 != .reward }
  }

  /// The line of an offer in a table, which is faint for a gone or expired one.
  func line(_ line: String, of offer: UserOffer, _ style: Style) -> PrintedText {
    offer.state == .gone || offer.isExpired(at: now) ? style.faint(line) : .text(line)
  }

  func shown(_ offer: UserOffer, _ columns: [OfferColumn], _ words: ValueWords) -> [String] {
    let mark = OfferMark.text(
      offer, at: now, tellsGone: !columns.contains(.state) && !columns.contains(.goneAt),
      tellsExpired: !columns.contains(.expired))
    return columns.map { column in
      let text = column.shown(offer, feeds, words, at: now)
      guard column == .name else { return text }
      return mark + text + (isUsual ? feeds.bylineSuffix(of: offer.offer) : "")
    }
  }
}

extension FeedPresentations {
  /// The text after the name of an offer in a list, such as ` – Taylor Swift`, in one line and safe
  /// for a terminal; empty if the offer has no byline.
  func bylineSuffix(of offer: Offer) -> String {
    self[offer.ref.feed].byline(of: offer).map { " – " + DisplayText.oneLine($0) } ?? ""
  }
}
