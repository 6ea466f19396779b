import OffersCore

/// Detects a document's format from its first bytes, unless the definition names it.
package enum FormatDetection {
  /// Returns the format, or nil when more bytes are needed to decide.
  ///
  /// - Parameters:
  ///   - start: the document's first bytes, in UTF-8.
  ///   - definition: how to read the document. The bytes decide only if it names no format.
  ///   - isWhole: true to decide with these bytes, because the document has no more or enough are
  ///     held.
  /// - Throws: `OffersError` with `malformedFeed` for a web page, unless the definition names a
  ///   format other than XML.
  static func find(
    in start: [UInt8], definition: FeedDefinition, isWhole: Bool
  ) throws -> FeedFormat? {
    let text = start[...]
    guard let first = text.firstIndex(where: { $0 > 0x20 }) else {
      return isWhole ? definition.format ?? .json : nil
    }
    if text[first] == 0x3C, definition.format == nil || definition.format == .xml {
      if !isWhole, text.count - first < pageBytes { return nil }
      if isWebPage(text[first...]) {
        throw OffersError(
          .malformedFeed, "The document is a web page, not a feed.",
          hint: "Nothing was changed. Open the source in a browser: it may ask for a login.")
      }
      return .xml
    }
    if let format = definition.format { return format }
    let mayBeLines = text[first] == 0x7B && definition.items == [.root]
    return mayBeLines ? linesOrOne(text[first...], isWhole: isWhole) : .json
  }

  /// The number of bytes within which the start of a web page is looked for.
  private static let pageBytes = 2048

  /// Whether the document begins with `<!doctype html`, `<html`, `<head` or `<body` in any case,
  /// after comments and processing instructions.
  package static func isWebPage(_ text: some Collection<UInt8>) -> Bool {
    let shown = String(decoding: text.prefix(pageBytes), as: UTF8.self).lowercased()
    var rest = shown.drop { $0.isWhitespace }
    while rest.hasPrefix("<!--") || rest.hasPrefix("<?") {
      let end = rest.hasPrefix("<?") ? "?>" : "-->"
      guard let close = rest.firstRange(of: end) else { return false }
      rest = rest[close.upperBound...].drop { $0.isWhitespace }
    }
    return rest.hasPrefix("<!doctype html") || rest.hasPrefix("<html") || rest.hasPrefix("<head")
      || rest.hasPrefix("<body")
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
