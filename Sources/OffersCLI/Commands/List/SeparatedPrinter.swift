import Foundation
import OffersCore

/// A printer of separated values: a record with the names of the columns, then a record per offer.
///
/// The values are those of the feed, apart from tabs and line ends in TSV, and from a quote before a value
/// that a spreadsheet would take for a formula.
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
  private let now: Date
  private var hasHead = false

  /// - Parameters:
  ///   - columns: the values of a record.
  ///   - kind: the separators.
  ///   - now: the time at which offers count as expired.
  ///   - allowsFormulas: whether values are written as they are, although a spreadsheet may run them.
  init(
    _ columns: [OfferColumn], _ kind: Kind, _ feeds: FeedPresentations = FeedPresentations(),
    now: Date, allowsFormulas: Bool = false
  ) {
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

  mutating func finish() throws { try Output.printData(head(), terminator: "") }

  private mutating func head() -> String {
    if hasHead { return "" }
    hasHead = true
    return record(columns.map(\.rawValue))
  }

  func record(_ values: [String]) -> String {
    let values = allowsFormulas ? values : values.map(Self.withoutFormula)
    switch kind {
    case .csv: return values.map(Self.quoted).joined(separator: ",") + "\r\n"
    case .tsv: return values.map(Self.spaced).joined(separator: "\t") + "\n"
    }
  }

  private static let formulaBytes = Array("=+-@\t\r\n\0".utf8)
  /// The signs at which a spreadsheet may divide a line into cells, whatever is quoted.
  private static let dividerBytes = Array(",;\t\r\n".utf8)

  /// A value with a quote before each place that a spreadsheet would take for the beginning of a formula,
  /// which may run programs and send what the other cells have
  /// (https://owasp.org/www-community/attacks/CSV_Injection). That is at the start of the value and behind
  /// a sign at which a spreadsheet may divide it; there, a list's "- item" stays. A negative number is no
  /// formula.
  private static func withoutFormula(_ value: String) -> String {
    if value.wholeMatch(of: /-[0-9]+(\.[0-9]+)?(e[-+]?[0-9]+)?/) != nil { return value }
    let bytes = Array(value.utf8)
    var result: [UInt8] = []
    for (index, byte) in bytes.enumerated() {
      let isPlace = index == 0 || dividerBytes.contains(bytes[index - 1])
      let isItem = index > 0 && index + 1 < bytes.count && bytes[index + 1] == 0x20
      if isPlace, !isItem, formulaBytes.contains(byte) { result.append(0x27) }
      result.append(byte)
    }
    return String(decoding: result, as: UTF8.self)
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
