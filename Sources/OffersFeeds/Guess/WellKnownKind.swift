import OffersCore

/// The kinds of feeds that are recognized by the start of a document and need no definition of
/// their own.
package enum WellKnownKind: String, Sendable, Hashable, CaseIterable {
  /// RSS 0.9x and 2.0 (https://www.rssboard.org/rss-specification), product feeds included.
  case rss
  /// RSS 1.0 (https://web.resource.org/rss/1.0/spec).
  case rdf
  /// Atom (RFC 4287).
  case atom
  /// JSON Feed 1.0 and 1.1 (https://www.jsonfeed.org/version/1.1/).
  case jsonfeed
  /// The products of a Shopify shop.
  case shopify
  /// A chart of one of Apple's stores in its oldest JSON.
  case chart

  /// Returns the kind of a document; nil for an unknown kind, and when more bytes are needed to
  /// decide.
  ///
  /// - Parameter start: the document's first bytes, in UTF-8.
  package static func find(in start: [UInt8]) -> WellKnownKind? {
    guard let first = start.first(where: { $0 > 0x20 }) else { return nil }
    switch first {
    case 0x3C: return findXML(start)
    case 0x7B, 0x5B: return findJSON(start)
    default: return nil
    }
  }

  /// Returns the shipped definition of this kind, under another name.
  ///
  /// - Throws: `OffersError` with `invalidRequest` when `name` is not a valid feed name.
  package func definition(named name: String) throws -> FeedDefinition {
    try FeedName.check(name)
    var definition = try FeedCatalog.definition(of: rawValue)
    definition.name = name
    return definition
  }

  private static func findXML(_ start: [UInt8]) -> WellKnownKind? {
    guard let root = XMLRootTag.find(in: start) else { return nil }
    let vocabulary = root.namespace.flatMap { KnownXMLNamespaces.findPrefix(of: Array($0.utf8)) }
    switch (root.name, vocabulary.map { String(decoding: $0, as: UTF8.self) }) {
    case ("rss", _): return .rss
    case ("RDF", "rdf"): return .rdf
    case ("feed", "atom"): return .atom
    default: return nil
    }
  }

  private static func findJSON(_ start: [UInt8]) -> WellKnownKind? {
    guard let root = JSONSample.read(start, isLines: false)?.root else { return nil }
    if case .object(let object) = root {
      if case .text(let version)? = object["version"],
        version.text.hasPrefix("https://jsonfeed.org/version/")
      {
        return .jsonfeed
      }
      if case .list(let products)? = object["products"] { return findShop(products) }
      if case .object(let feed)? = object["feed"], isChart(feed) { return .chart }
    }
    if case .list(let products) = root { return findShop(products) }
    return nil
  }

  /// Whether an object is the feed of a chart: it has an entry with a name in Apple's namespace, or
  /// it has none and its author is the store.
  private static func isChart(_ feed: SampleObject) -> Bool {
    for case .object(let entry)? in feed["entry"]?.elements.prefix(1) ?? [] {
      return entry["im:name"] != nil
    }
    guard case .object(let author)? = feed["author"], case .object(let name)? = author["name"],
      case .text(let text)? = name["label"]
    else { return false }
    return text.text == "iTunes Store"
  }

  private static func findShop(_ products: SampleList) -> WellKnownKind? {
    guard case .object(let product)? = products.elements.first,
      case .list? = product["variants"],
      product["body_html"] != nil || product["handle"] != nil
    else { return nil }
    return .shopify
  }
}
