import OffersCore

/// The format of a list.
enum ListFormat: String, CaseIterable {
  /// A table of aligned columns.
  case table
  /// One JSON document, `{"offers":[…]}`.
  case json
  /// One JSON object per line (https://github.com/ndjson/ndjson-spec).
  case ndjson
  /// Comma-separated values (RFC 4180).
  case csv
  /// Tab-separated values, one line per offer.
  case tsv
  /// A table in GitHub Flavored Markdown.
  case markdown

  /// Whether the format is for people.
  var isForPeople: Bool { self == .table || self == .markdown }

  /// The printer of the format.
  ///
  /// - Parameters:
  ///   - columns: the columns that the user chose; nil for the default ones.
  ///   - usual: the default columns of the formats for people. The other formats have all columns.
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

/// A printer of offers that holds one page of them in memory at a time. It prints nothing before
/// the first page, so that a refused command prints no partial document.
protocol OfferPrinter {
  mutating func print(_ page: [Offer]) throws
  /// Prints the end of the document, and its beginning if there were no offers.
  mutating func finish() throws
}

/// A printer of one JSON document.
private struct DocumentPrinter: OfferPrinter {
  let columns: [OfferColumn]?
  private var list = PagedJSON("offers")

  init(columns: [OfferColumn]?) { self.columns = columns }

  mutating func print(_ page: [Offer]) throws {
    try list.print(page) { $0.value($1, columns) }
  }

  mutating func finish() throws { try list.finish() }
}

/// A printer of one JSON object per line.
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
  /// Writes an offer with the given columns; nil for the complete offer.
  fileprivate mutating func value(_ offer: Offer, _ columns: [OfferColumn]?) {
    guard let columns else { return value(offer) }
    object { json in
      for column in columns { column.write(offer, to: &json) }
    }
  }
}
