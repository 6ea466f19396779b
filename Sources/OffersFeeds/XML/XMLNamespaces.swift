import OffersCore

/// The namespace declarations in scope, and the canonical names that follow from them.
///
/// Documents are free to choose the prefix of a namespace. Here a known namespace always has the
/// same prefix, so that a definition fits all documents of its kind. The namespace of the root
/// element has no prefix. Unknown and undeclared namespaces keep the prefix of the document.
/// (Namespaces in XML 1.0.)
struct XMLNamespaces {
  private struct Binding {
    /// The declared prefix; empty for the default namespace.
    let prefix: String
    let canonical: String
    /// The depth of the element with the declaration.
    let depth: Int
  }

  private var bindings: [Binding] = []
  /// The namespace of the root element, normalized; nil if it is not declared.
  private(set) var rootURI: String?
  static let limit = 256
  /// The largest length of a prefix that a document declares, in bytes.
  static let prefixBytes = 64

  // MARK: Declarations

  /// The prefix that an attribute with this name declares: `g` for `xmlns:g`, empty for `xmlns`, nil for
  /// other attributes.
  static func declaredPrefix(_ name: String) -> Substring? {
    guard name.hasPrefix("xmlns") else { return nil }
    let rest = name.dropFirst(5)
    return rest.isEmpty ? rest : rest.hasPrefix(":") ? rest.dropFirst() : nil
  }

  /// Adds a declaration of an element at `depth`. For the root element, `enter` must be called
  /// first.
  /// - Throws: `OffersError` with `limitExceeded` when too many declarations are in scope, or the
  ///   prefix is too long.
  mutating func declare(_ prefix: Substring, _ uri: String, depth: Int) throws {
    if bindings.count == Self.limit {
      throw OffersError(
        .limitExceeded, "The document declares more than \(Self.limit) namespaces at a time.",
        hint: "Nothing was changed. Check that the source is an offers feed.")
    }
    // Names are compared with the prefixes in scope, so the length of these is bounded.
    if prefix.utf8.count > Self.prefixBytes {
      throw OffersError(
        .limitExceeded,
        "The document has a namespace prefix of more than \(Self.prefixBytes) bytes.",
        hint: "Nothing was changed. Check that the source is an offers feed.")
    }
    let isOfRoot = KnownXMLNamespaces.normalized(uri) == rootURI
    let known = isOfRoot ? "" : KnownXMLNamespaces.findPrefix(of: uri)
    bindings.append(
      Binding(prefix: String(prefix), canonical: known ?? String(prefix), depth: depth))
  }

  /// Records the namespace of the root element, before its declarations are added.
  mutating func enter(root name: String, _ attributes: [XMLTokenReader.Attribute]) {
    let wanted = Self.split(name).prefix
    for (name, uri) in attributes where !uri.isEmpty && Self.declaredPrefix(name) == wanted {
      rootURI = KnownXMLNamespaces.normalized(uri)
    }
  }

  /// Removes the declarations of an element at `depth`, which has ended.
  mutating func leave(depth: Int) {
    while let last = bindings.last, last.depth >= depth { bindings.removeLast() }
  }

  // MARK: Names

  /// The canonical name of an element or attribute.
  func canonical(_ name: String, isElement: Bool) -> String {
    let (prefix, local) = Self.split(name)
    // The default namespace does not apply to attributes.
    if bindings.isEmpty || prefix.isEmpty && !isElement { return name }
    guard let binding = bindings.last(where: { $0.prefix == prefix }), binding.canonical != prefix
    else { return name }
    return binding.canonical.isEmpty ? String(local) : "\(binding.canonical):\(local)"
  }

  private static func split(_ name: String) -> (prefix: Substring, local: Substring) {
    guard let colon = name.utf8.firstIndex(of: UInt8(ascii: ":")) else { return ("", name[...]) }
    return (name[..<colon], name[name.utf8.index(after: colon)...])
  }
}

/// The namespaces that feeds use, with their canonical prefixes.
enum KnownXMLNamespaces {
  /// Returns the prefix of a known namespace, empty for one whose names have none; nil for an
  /// unknown one. `https`, capitals and a trailing slash are ignored, since documents vary in them.
  static func findPrefix(of uri: String) -> String? {
    prefixes[normalized(uri)]
  }

  /// A form in which different spellings of a namespace are equal.
  static func normalized(_ uri: String) -> String {
    var text = uri.lowercased()
    if text.hasPrefix("https://") {
      text.replaceSubrange(text.startIndex..., with: "http" + text.dropFirst(5))
    }
    while text.hasSuffix("/") || text.hasSuffix(" ") { text.removeLast() }
    return text
  }

  private static let prefixes = Dictionary(
    known.map { ($0.uri, $0.prefix) }, uniquingKeysWith: { first, _ in first })

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
    ("http://www.pepper.com/rss", "pepper"),
    ("http://www.ozbargain.com.au", "ozb"),
    ("http://a9.com/-/spec/opensearch/1.1", "opensearch"),
    ("http://a9.com/-/spec/opensearchrss/1.0", "opensearch"),
  ]
}
