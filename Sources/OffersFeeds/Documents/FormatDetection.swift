import OffersCore

extension FeedFormat {
  /// Creates the reader of a document.
  ///
  /// - Parameter start: the document's first bytes, which the reader is passed again.
  /// - Throws: `OffersError` with `malformedFeed` if they are not in the format.
  func makeReader(
    _ definition: FeedDefinition, start: [UInt8], assembler: OfferAssembler,
    document: DocumentValues, sink: any OfferSink
  ) throws -> any FormatReader {
    switch self {
    case .xml: XMLFeedReader(definition, assembler: assembler, document: document, sink: sink)
    case .json, .ndjson:
      JSONFeedReader(
        definition, assembler: assembler, document: document, sink: sink, isLines: self == .ndjson)
    case .csv: try TableFeedReader(definition, start: start, assembler: assembler, sink: sink)
    case .jsonLD:
      PageFeedReader(assembler: assembler, address: assembler.links.address, sink: sink)
    }
  }
}

/// Detects a document's format from its first bytes, unless the definition names it.
package enum FormatDetection {
  /// Returns the format, or nil when more bytes are needed to decide.
  ///
  /// - Parameters:
  ///   - start: the document's first bytes, in UTF-8.
  ///   - definition: how to read the document. The bytes decide only if it names no format.
  ///   - isWhole: true to decide with these bytes, because the document has no more or enough are
  ///     held.
  /// - Throws: `OffersError` with `malformedFeed` for a web page, unless the definition names JSON, for
  ///   another document that is known and is no feed, and for a table whose columns have no names.
  static func find(
    in start: [UInt8], definition: FeedDefinition, isWhole: Bool
  ) throws -> FeedFormat? {
    let text = start[...]
    guard let first = text.firstIndex(where: { $0 > 0x20 }) else {
      // The readers report that the document is empty.
      return isWhole ? definition.format.flatMap { $0 == .jsonLD ? nil : $0 } ?? .json : nil
    }
    let format = definition.format
    if format == .jsonLD {
      guard text[first] == 0x3C else { throw refusal("not a web page") }
      return .jsonLD
    }
    if text[first] == 0x3C, format == nil || format == .xml || format == .csv {
      if !isWhole, text.count - first < pageBytes { return nil }
      if let kind = kind(ofMarkup: text[first...]) { throw refusal(kind) }
      if format == .csv { throw refusal("XML, not a table", isFeed: true) }
      return .xml
    }
    let (kind, isOpen) = kind(ofText: text[first...])
    if let kind { throw refusal(kind) }
    if isOpen, !isWhole { return nil }
    if let format {
      return format != .csv || isWhole || start.count > TableLayout.sampleBytes ? format : nil
    }
    if text[first] == 0x5B { return .json }
    if text[first] == 0x7B {
      let mayBeLines = definition.items == [.root]
      return mayBeLines ? linesOrOne(text[first...], isWhole: isWhole) : .json
    }
    if !isWhole, start.count <= TableLayout.sampleBytes { return nil }
    if TableLayout.find(in: start, definition: definition) != nil { return .csv }
    if TableLayout.lacksNames(start) { throw refusal("a table without names of columns") }
    return .json
  }

  // MARK: Documents that are no feeds

  /// The number of bytes within which the root of a document in XML or HTML is looked for.
  private static let pageBytes = 2048
  /// The number of bytes within which the beginning of a text is looked at.
  private static let textBytes = 80

  /// The kind of a document in XML or HTML by its root; nil if it may be a feed.
  private static func kind(ofMarkup text: ArraySlice<UInt8>) -> String? {
    if isWebPage(text) { return "a web page, not a feed" }
    switch rootName(text) {
    case "opml": return "a list of feeds (OPML), not a feed"
    case "urlset", "sitemapindex": return "a map of a site's pages, not a feed"
    case "workbook": return "a workbook (XML of Excel), not a feed"
    case "svg": return "an image (SVG), not a feed"
    default: return nil
    }
  }

  /// The beginnings of other texts that are no feeds, without spaces.
  private static let texts: [(start: String, kind: String)] = [
    ("BEGIN:VCALENDAR", "a calendar (iCalendar), not a feed"),
    ("BEGIN:VCARD", "a list of addresses (vCard), not a feed"),
    ("{\\rtf", "a text document (RTF), not a feed"),
    ("{\"format\":\"offers-export\"", "an export of this program, not a feed"),
  ]

  /// The kind of another text by its beginning; nil if it may be a feed, and `isOpen` if more bytes may tell.
  private static func kind(ofText text: ArraySlice<UInt8>) -> (kind: String?, isOpen: Bool) {
    let ink = text.prefix(textBytes).filter { $0 > 0x20 }
    for (start, kind) in texts {
      let count = min(ink.count, start.utf8.count)
      guard ink.prefix(count).elementsEqual(start.utf8.prefix(count)) else { continue }
      return count == start.utf8.count ? (kind, false) : (nil, true)
    }
    return (nil, false)
  }

  private static func refusal(_ kind: String, isFeed: Bool = false) -> OffersError {
    var hint: Hint = "Nothing was changed. Check the source."
    if kind.hasPrefix("a web page") || isFeed {
      hint = "Nothing was changed. Open the source in a browser: it may ask for a login."
    } else if kind.hasPrefix("an export") {
      hint = Hint("Nothing was changed. Import it.", command: "offers import FILE")
    } else if kind.hasPrefix("a list of feeds") {
      hint = Hint("Nothing was changed. Import its feeds.", command: "offers feeds import FILE")
    } else if kind.hasPrefix("a workbook") {
      hint = "Nothing was changed. Save the sheet as CSV."
    } else if kind.hasPrefix("a table") {
      hint =
        "Nothing was changed. Name the columns in a definition, as in header: [id, name, price]."
    }
    return OffersError(.malformedFeed, "The document is \(kind).", hint: hint)
  }

  /// Whether the document begins with `<!doctype html`, `<html`, `<head` or `<body` in any case,
  /// after comments and processing instructions.
  package static func isWebPage(_ text: some Collection<UInt8>) -> Bool {
    let rest = root(text)
    return rest.hasPrefix("<!doctype html") || rest.hasPrefix("<html") || rest.hasPrefix("<head")
      || rest.hasPrefix("<body")
  }

  /// The name of the first element, in lower case.
  private static func rootName(_ text: some Collection<UInt8>) -> String {
    var rest = root(text)
    if rest.hasPrefix("<!doctype"), let end = rest.firstIndex(of: ">") {
      rest = root(rest[end...].dropFirst().utf8)
    }
    return String(rest.dropFirst().prefix { $0.isLetter })
  }

  /// The start of the document in lower case, without comments and processing instructions before it.
  private static func root(_ text: some Collection<UInt8>) -> Substring {
    let shown = String(decoding: text.prefix(pageBytes), as: UTF8.self).lowercased()
    var rest = shown.drop { $0.isWhitespace }
    while rest.hasPrefix("<!--") || rest.hasPrefix("<?") {
      let end = rest.hasPrefix("<?") ? "?>" : "-->"
      guard let close = rest.firstRange(of: end) else { return "" }
      rest = rest[close.upperBound...].drop { $0.isWhitespace }
    }
    return rest
  }

  /// Returns `ndjson` when a second object follows the first one, otherwise `json`; nil when more
  /// bytes are needed to decide.
  private static func linesOrOne(_ text: ArraySlice<UInt8>, isWhole: Bool) -> FeedFormat? {
    var padded = Array(text)
    padded += [UInt8](repeating: 0, count: InputBuffer.paddingBytes)
    return padded.withUnsafeBufferPointer { bytes -> FeedFormat? in
      guard var p = bytes.baseAddress else { return .json }
      let end = p + text.count
      let scanner = JSONScanner(end: end, isFinal: isWhole)
      do {
        try scanner.skipValue(&p, depth: 0)
        scanner.skipWhitespace(&p)
        if p >= end { return isWhole ? .json : nil }
        return p.pointee == 0x7B ? .ndjson : .json
      } catch JSONStop.needsMore {
        return nil
      } catch {
        return .json
      }
    }
  }
}
