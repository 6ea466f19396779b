import OffersCore

/// The namespace declarations in scope, and the canonical names that follow from them.
///
/// Documents are free to choose the prefix of a namespace. Here a known namespace always has the
/// same prefix, so that a definition fits all documents of its kind. The namespace of the root
/// element has no prefix. Unknown and undeclared namespaces keep the prefix of the document.
/// (Namespaces in XML 1.0.)
///
/// While every prefix in scope is the canonical one already, names are passed on without a lookup.
final class XMLNamespaces {
  private struct Binding {
    /// The declared prefix; empty for the default namespace.
    let prefix: [UInt8]
    let canonical: [UInt8]
    /// The depth of the element with the declaration.
    let depth: Int
    var isIdentity: Bool { prefix == canonical }
  }

  private var bindings: [Binding] = []
  private var renamingCount = 0
  /// The depth of the innermost element with a declaration in scope; 0 for none.
  private var lastDepth = 0
  /// The namespace of the root element, normalized; nil if it is not declared.
  private(set) var rootURI: String?
  private let elementName: UnsafeMutableRawBufferPointer
  private let attributeName: UnsafeMutableRawBufferPointer

  static let limit = 256
  /// The largest length of a prefix that a document declares, in bytes.
  static let prefixBytes = 64
  private static let longestPrefix = 16

  init() {
    let byteCount = XMLTokenReader.nameBytes + Self.longestPrefix
    elementName = .allocate(byteCount: byteCount, alignment: 1)
    attributeName = .allocate(byteCount: byteCount, alignment: 1)
  }

  deinit {
    elementName.deallocate()
    attributeName.deallocate()
  }

  // MARK: Declarations

  /// The prefix that an attribute with this name declares: `g` for `xmlns:g`, empty for `xmlns`.
  /// Nil for other attributes.
  @inline(__always)
  static func declaredPrefix(_ name: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? {
    guard name.first == 0x78, name.matches("xmlns", at: 0) == true else { return nil }
    if name.count == 5 { return name.tail(from: 5) }
    return name[5] == 0x3A ? name.tail(from: 6) : nil
  }

  /// Adds a declaration of an element at `depth`. For the root element, `enter` must be called
  /// first.
  /// - Throws: `OffersError` with `limitExceeded` when too many declarations are in scope, or the
  ///   prefix is too long.
  func declare(
    _ prefix: UnsafeRawBufferPointer, _ uri: UnsafeRawBufferPointer, depth: Int
  ) throws {
    if bindings.count == Self.limit {
      throw OffersError(
        .limitExceeded, "The document declares more than \(Self.limit) namespaces at a time.",
        hint: "Nothing was changed. Check that the source is an offers feed.")
    }
    // Names are compared with the prefixes in scope, so the length of these is bounded.
    if prefix.count > Self.prefixBytes {
      throw OffersError(
        .limitExceeded,
        "The document has a namespace prefix of more than \(Self.prefixBytes) bytes.",
        hint: "Nothing was changed. Check that the source is an offers feed.")
    }
    let printed = Array(prefix)
    let address = Array(uri)
    var canonical = printed
    if KnownXMLNamespaces.normalized(address) == rootURI {
      canonical = []
    } else if let known = KnownXMLNamespaces.findPrefix(of: address) {
      canonical = known
    }
    let binding = Binding(prefix: printed, canonical: canonical, depth: depth)
    bindings.append(binding)
    lastDepth = depth
    if !binding.isIdentity { renamingCount += 1 }
  }

  /// Records the namespace of the root element, before its declarations are added.
  func enter(root name: UnsafeRawBufferPointer, _ attributes: XMLAttributes) {
    let wanted = name.firstIndex(of: 0x3A).map { name.slice(0, $0) } ?? name.slice(0, 0)
    var index = 0
    while let (name, uri) = attributes.pair(at: index) {
      if let prefix = Self.declaredPrefix(name), prefix.elementsEqual(wanted), !uri.isEmpty {
        rootURI = KnownXMLNamespaces.normalized(Array(uri))
      }
      index += 2
    }
  }

  /// Removes the declarations of an element at `depth`, which has ended.
  @inline(__always)
  func leave(depth: Int) {
    if depth <= lastDepth { removeBindings(depth: depth) }
  }

  private func removeBindings(depth: Int) {
    while let last = bindings.last, last.depth >= depth {
      if !last.isIdentity { renamingCount -= 1 }
      bindings.removeLast()
    }
    lastDepth = bindings.last?.depth ?? 0
  }

  // MARK: Names

  /// The canonical name of an element, valid until the next one is requested.
  @inline(__always)
  func canonicalElement(_ name: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
    renamingCount == 0 ? name : rename(name, isElement: true, elementName)
  }

  /// The canonical name of an attribute, valid until the next one is requested.
  @inline(__always)
  func canonicalAttribute(_ name: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
    renamingCount == 0 ? name : rename(name, isElement: false, attributeName)
  }

  private func rename(
    _ name: UnsafeRawBufferPointer, isElement: Bool, _ space: UnsafeMutableRawBufferPointer
  ) -> UnsafeRawBufferPointer {
    let colon = name.firstIndex(of: 0x3A)
    // The default namespace does not apply to attributes.
    if colon == nil && !isElement { return name }
    let prefix = name.slice(0, colon ?? 0)
    guard let binding = bindings.last(where: { $0.prefix.elementsEqual(prefix) }),
      !binding.isIdentity
    else { return name }
    let local = colon.map { name.tail(from: $0 + 1) } ?? name
    var count = 0
    if !binding.canonical.isEmpty {
      space.copyBytes(from: binding.canonical)
      space[binding.canonical.count] = 0x3A
      count = binding.canonical.count + 1
    }
    guard count + local.count <= space.count else { return name }
    UnsafeMutableRawBufferPointer(rebasing: space[count...]).copyMemory(from: local)
    return UnsafeRawBufferPointer(space).slice(0, count + local.count)
  }
}

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
