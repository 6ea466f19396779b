import FoundationEssentials
import OffersCore

/// A list of feeds in OPML 2.0 (http://opml.org/spec2.opml), which feed readers exchange.
package enum OPML {
  /// A feed of a list.
  package struct Feed: Hashable, Sendable {
    /// The title; empty if the list states none.
    package let title: String
    /// The address as it is written.
    package let address: String

    package init(title: String, address: String) {
      self.title = title
      self.address = address
    }
  }

  /// The largest number of feeds that are read.
  package static let limit = 5000
  /// The largest size of a list that is read.
  package static let limitBytes = 16 << 20

  /// Reads the feeds of a list in their order, from any depth of its outlines.
  ///
  /// - Throws: `OffersError` with `malformedFeed` for a document that is not OPML or cannot be read, and
  ///   `limitExceeded` for one with more than `limit` feeds.
  package static func read(_ bytes: [UInt8]) throws -> [Feed] {
    var text: [UInt8] = []
    func take(_ piece: UnsafeRawBufferPointer) { text.append(contentsOf: piece) }
    let transcoder = TextTranscoder(charset: nil)
    try bytes.withUnsafeBytes { try transcoder.consume($0, take) }
    try transcoder.finish(take)
    let handler = Handler()
    do {
      try read(text, handler)
    } catch let error as OffersError where error.code == .malformedFeed && handler.hasRoot {
      guard let outlines = OPMLOutlines.mended(text) else { throw error }
      let rest = Handler()
      try read(outlines, rest)
      if rest.feeds.isEmpty { throw error }
      return rest.feeds
    }
    return handler.feeds
  }

  private static func read(_ text: [UInt8], _ handler: Handler) throws {
    let tokens = XMLTokenReader(handler: handler)
    let mender = XMLMender()
    try text.withUnsafeBytes { try mender.consume($0) { try tokens.consume($0) } }
    try mender.finish { try tokens.consume($0) }
    try tokens.finish()
  }

  /// The text of a list.
  package static func text(_ feeds: [Feed], title: String) -> String {
    var text = """
      <?xml version="1.0" encoding="UTF-8"?>
      <opml version="2.0">
      <head><title>\(escaped(title))</title></head>
      <body>

      """
    for feed in feeds {
      let title = escaped(feed.title)
      text +=
        "<outline type=\"rss\" text=\"\(title)\" title=\"\(title)\" xmlUrl=\"\(escaped(feed.address))\"/>\n"
    }
    return text + "</body>\n</opml>\n"
  }

  /// A text as the value of an attribute, without characters that XML 1.0 does not have.
  private static func escaped(_ text: String) -> String {
    var result = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "\"": result += "&quot;"
      case "\t", "\n", "\r": result += " "
      case "\u{0}"..."\u{1F}", "\u{FFFE}", "\u{FFFF}": break
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }

  private final class Handler: XMLTokenHandler {
    private(set) var feeds: [Feed] = []
    /// Whether the document begins as a list.
    private(set) var hasRoot = false

    func start(_ name: String, _ attributes: [XMLTokenReader.Attribute]) throws {
      if !hasRoot, name.lowercased() != "opml" {
        throw OffersError(
          .malformedFeed, "The document is no list of feeds (OPML): it begins with <\(name)>.",
          hint: Hint(
            "Nothing was changed. If it is a feed, add it.", command: "offers feeds add NAME FILE"))
      }
      hasRoot = true
      guard name.lowercased() == "outline" else { return }
      var values: [String: String] = [:]
      for (name, value) in attributes where values[name.lowercased()] == nil {
        values[name.lowercased()] = value.trimmed()
      }
      guard let address = values["xmlurl"], !address.isEmpty else { return }
      guard feeds.count < OPML.limit else {
        throw OffersError(
          .limitExceeded, "The list has more than \(Units.count(OPML.limit, "feed")).",
          hint: "Nothing was changed. Divide it.")
      }
      let title = values["title"].flatMap { $0.isEmpty ? nil : $0 } ?? values["text"] ?? ""
      feeds.append(Feed(title: title, address: address))
    }

    func text(_ text: UnsafeRawBufferPointer) {}
    func end(_ name: String) {}
  }
}
