import OffersCore

/// How a list is printed.
enum ListFormat: String, CaseIterable {
  /// Aligned columns for people.
  case table
  /// One JSON document, `{"offers":[…]}`.
  case json
  /// One JSON object a line (https://github.com/ndjson/ndjson-spec).
  case ndjson
  /// Values between commas (RFC 4180).
  case csv
  /// Values between tabs, a line an offer.
  case tsv
  /// A table of GitHub Flavored Markdown.
  case markdown

  /// Whether it is for people.
  var isForPeople: Bool { self == .table || self == .markdown }

  /// - Parameters:
  ///   - columns: those asked for; nil for the usual ones.
  ///   - usual: the usual ones for people. Programs get all.
  func printer(
    _ columns: [OfferColumn]?, usual: [OfferColumn], _ style: Style
  ) -> any OfferPrinter {
    switch self {
    case .table: TablePrinter(columns ?? usual, mayLeaveOut: columns != nil, style)
    case .json: DocumentPrinter(columns: columns)
    case .ndjson: ObjectLinePrinter(columns: columns)
    case .csv: SeparatedPrinter(columns ?? OfferColumn.allCases, .csv)
    case .tsv: SeparatedPrinter(columns ?? OfferColumn.allCases, .tsv)
    case .markdown: MarkdownPrinter(columns ?? usual)
    }
  }
}

/// Prints offers page by page, so that not all of them have to be in memory. Nothing is printed
/// before the first page is there: what is refused prints no half document.
protocol OfferPrinter {
  mutating func print(_ page: [Offer]) throws
  /// Prints what stands behind the last offer, and what stands before the first where none came.
  mutating func finish() throws
}

/// One JSON document.
private struct DocumentPrinter: OfferPrinter {
  let columns: [OfferColumn]?
  private var list = PagedJSON("offers")

  init(columns: [OfferColumn]?) { self.columns = columns }

  mutating func print(_ page: [Offer]) throws {
    try list.print(page) { $0.value($1, columns) }
  }

  mutating func finish() throws { try list.finish() }
}

/// One JSON object a line.
private struct ObjectLinePrinter: OfferPrinter {
  let columns: [OfferColumn]?

  func print(_ page: [Offer]) throws {
    var text = ""
    for offer in page {
      var json = JSONWriter()
      json.value(offer, columns)
      text += json.text + "\n"
    }
    try Output.printRaw(text)
  }

  func finish() {}
}

extension JSONWriter {
  /// Writes an offer whole, or only some of it.
  fileprivate mutating func value(_ offer: Offer, _ columns: [OfferColumn]?) {
    guard let columns else { return value(offer) }
    object { json in
      for column in columns { column.write(offer, to: &json) }
    }
  }
}
