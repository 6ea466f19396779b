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
  /// A table of products for Google Merchant Center (https://support.google.com/merchants/answer/7052112) or a
  /// catalog of Meta (https://developers.facebook.com/docs/marketing-api/catalog/reference).
  case merchant
  /// A chart of one of Apple's stores in its oldest JSON.
  case chart
  /// A web page with products in JSON-LD (https://schema.org/Product).
  case jsonld

  /// Whether documents of this kind usually show the newest of their entries.
  var isNews: Bool { [.rss, .rdf, .atom, .jsonfeed].contains(self) }

  /// The kind of the document that begins like this; nil for an unknown kind, and when more bytes are
  /// needed to decide.
  init?(_ sample: Sample) {
    if sample.isPage {
      self = .jsonld
      return
    }
    let found =
      sample.isXML
      ? Self.find(inXML: sample)
      : sample.columns.isEmpty
        ? Self.find(inJSON: sample) : Self.find(among: Set(sample.columns))
    guard let found else { return nil }
    self = found
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

  private static func find(inXML sample: Sample) -> WellKnownKind? {
    let prefix = sample.namespace.flatMap { KnownXMLNamespaces.findPrefix(of: $0) }
    switch sample.root?.object?.members.first?.key {
    case "rss": return .rss
    case "RDF" where prefix == "rdf": return .rdf
    case "feed" where prefix == "atom": return .atom
    default: return nil
    }
  }

  /// The kind of a table by its columns: those that both catalogs require.
  private static func find(among columns: Set<String>) -> WellKnownKind? {
    columns.isSuperset(of: ["id", "title", "description", "link", "image_link", "price"])
      ? .merchant : nil
  }

  private static func find(inJSON sample: Sample) -> WellKnownKind? {
    if case .list(let products)? = sample.root { return isShop(products) ? .shopify : nil }
    guard case .object(let root)? = sample.root else { return nil }
    let version = root["version"]?.scalar ?? ""
    if ["https", "http"].contains(where: { version.hasPrefix($0 + "://jsonfeed.org/version/") }) {
      return .jsonfeed
    }
    if case .list(let products)? = root["products"] { return isShop(products) ? .shopify : nil }
    if case .object(let feed)? = root["feed"], isChart(feed) { return .chart }
    return nil
  }

  /// Whether an object is the feed of a chart: it has an entry with a name in Apple's namespace, or
  /// it has none and its author is the store.
  private static func isChart(_ feed: SampleObject) -> Bool {
    if let entry = feed["entry"]?.object { return entry["im:name"] != nil }
    guard case .object(let author)? = feed["author"], case .object(let name)? = author["name"]
    else { return false }
    return name["label"]?.scalar == "iTunes Store"
  }

  private static func isShop(_ products: [SampleValue]) -> Bool {
    guard case .object(let product)? = products.first, case .list? = product["variants"] else {
      return false
    }
    return product["body_html"] != nil || product["handle"] != nil
  }
}
