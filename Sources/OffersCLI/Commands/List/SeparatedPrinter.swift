import Foundation
import OffersCore

/// A printer of separated values: a record with the names of the columns, then a record per offer.
///
/// The values are those of the feed, apart from tabs and line ends in TSV, and from a quote before a formula
/// that a spreadsheet would run.
struct SeparatedPrinter: OfferPrinter {
  enum Kind {
    /// RFC 4180: commas and CRLF; values with a comma, a quote or a line end are quoted.
    case csv
    /// Tabs and LF, for tools that work on lines. A run of tabs and line ends in a value becomes a
    /// space; at its start and end it is removed.
    case tsv
  }

  private let columns: [OfferColumn]
  private let kind: Kind
  private let feeds: FeedPresentations
  private let allowsFormulas: Bool
  private let hasMark: Bool
  private let now: Date
  private var hasHead = false

  /// - Parameters:
  ///   - columns: the values of a record.
  ///   - kind: the separators.
  ///   - now: the time at which offers count as expired.
  ///   - allowsFormulas: whether values are written as they are, although a spreadsheet may run them.
  ///   - hasMark: whether the text begins with a byte order mark, by which Excel knows UTF-8.
  init(
    _ columns: [OfferColumn], _ kind: Kind, _ feeds: FeedPresentations = FeedPresentations(),
    now: Date, allowsFormulas: Bool = false, hasMark: Bool = false
  ) {
    self.hasMark = hasMark
    self.allowsFormulas = allowsFormulas
    self.feeds = feeds
    self.columns = columns
    self.now = now
    self.kind = kind
  }

  mutating func print(_ page: [UserOffer]) throws {
    var text = head()
    for offer in page { text += record(columns.map { $0.plain(offer, feeds, at: now) ?? "" }) }
    try Output.printData(text, terminator: "")
  }

  mutating func finish(_ rest: ListRest?) throws { try Output.printData(head(), terminator: "") }

  private mutating func head() -> String {
    if hasHead { return "" }
    hasHead = true
    return (hasMark ? "\u{FEFF}" : "") + record(columns.map(\.rawValue))
  }

  func record(_ values: [String]) -> String {
    let values = allowsFormulas ? values : values.map(SpreadsheetFormula.disarmed)
    switch kind {
    case .csv: return values.map(Self.quoted).joined(separator: ",") + "\r\n"
    case .tsv: return values.map(Self.spaced).joined(separator: "\t") + "\n"
    }
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
