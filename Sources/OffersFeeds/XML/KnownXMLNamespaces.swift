/// The namespaces that feeds use, with their canonical prefixes.
enum KnownXMLNamespaces {
  /// Returns the prefix of a known namespace, empty for one whose names have none; nil for an
  /// unknown one. `https`, capitals and a trailing slash are ignored, since documents vary in them.
  static func findPrefix(of uri: [UInt8]) -> [UInt8]? {
    prefixes[normalized(uri)]
  }

  /// A form in which different spellings of a namespace are equal.
  static func normalized(_ uri: [UInt8]) -> String {
    var text = String(decoding: uri, as: UTF8.self).lowercased()
    if text.hasPrefix("https://") {
      text.replaceSubrange(text.startIndex..., with: "http" + text.dropFirst(5))
    }
    while text.hasSuffix("/") || text.hasSuffix(" ") { text.removeLast() }
    return text
  }

  private static let prefixes = Dictionary(
    known.map { ($0.uri, Array($0.prefix.utf8)) }, uniquingKeysWith: { first, _ in first })

  private static let known: [(uri: String, prefix: String)] = [
    ("http://base.google.com/ns/1.0", "g"),
    ("http://itunes.apple.com/rss", "im"),
    ("http://search.yahoo.com/mrss", "media"),
    ("http://purl.org/dc/elements/1.1", "dc"),
    ("http://purl.org/dc/terms", "dcterms"),
    ("http://purl.org/rss/1.0/modules/content", "content"),
    ("http://purl.org/rss/1.0/modules/slash", "slash"),
    ("http://purl.org/rss/1.0/modules/syndication", "sy"),
    ("http://wellformedweb.org/commentapi", "wfw"),
    ("http://www.w3.org/2005/atom", "atom"),
    ("http://purl.org/atom/ns#", "atom"),
    ("http://www.w3.org/1999/02/22-rdf-syntax-ns#", "rdf"),
    ("http://purl.org/rss/1.0", ""),
    ("http://my.netscape.com/rdf/simple/0.9", ""),
    ("http://channel.netscape.com/rdf/simple/0.9", ""),
    ("http://backend.userland.com/rss2", ""),
    ("http://blogs.law.harvard.edu/tech/rss", ""),
    ("http://www.itunes.com/dtds/podcast-1.0.dtd", "itunes"),
    ("http://www.w3.org/2003/01/geo/wgs84_pos#", "geo"),
    ("http://www.georss.org/georss", "georss"),
    ("http://www.w3.org/1999/xhtml", "xhtml"),
    ("http://rssnamespace.org/feedburner/ext/1.0", "feedburner"),
    ("http://a9.com/-/spec/opensearch/1.1", "opensearch"),
    ("http://a9.com/-/spec/opensearchrss/1.0", "opensearch"),
  ]
}
