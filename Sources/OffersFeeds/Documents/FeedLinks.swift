import FoundationEssentials
import OffersCore

/// A link of a web page or of the head of its response (RFC 8288), as it is written.
package struct PageLink: Hashable, Sendable {
  /// The relation types, in lower case.
  package var relations: [String]
  /// The media type in lower case without parameters; empty if there is none.
  package var type: String
  package var target: String
  package var title: String

  package init(relations: [String], type: String, target: String, title: String) {
    self.relations = relations
    self.type = type.prefix { $0 != ";" }.lowercased().trimmed()
    self.target = target
    self.title = title
  }
}

/// A feed that a web page links to.
package struct FeedLink: Hashable, Sendable {
  /// The absolute http or https URL.
  package let address: String
  /// The title of the link; empty if it has none.
  package let title: String
  fileprivate let type: String
}

/// The feeds that a web page links to, by `<link rel="alternate">` and the header `Link`.
///
/// Source: HTML Standard, link type alternate; JSON Feed 1.1, Discovery. Links of a page's translations, style
/// sheets, embeddings and interfaces are no feeds. A page of any size is read in one pass.
package struct FeedLinks: Sendable {
  /// The linked feeds in the page's order, of the type that most certainly is a feed. Of several forms of one
  /// feed, such as RSS and Atom, only the first is there, and a feed of comments only where there is no other.
  package let feeds: [FeedLink]
  /// The addresses of ordinary links whose path looks like a feed's, at most `anchorLimit`.
  package private(set) var anchors: [String] = []

  private static let anchorLimit = 3
  /// The largest number of links of a page that are considered.
  private static let linkLimit = 200
  private static let attributeLimit = 64
  private static let addressBytes = 2000

  /// - Parameters:
  ///   - page: the page in UTF-8.
  ///   - address: the URL of the page, after redirects.
  ///   - header: the links of the response's head.
  package init(page: [UInt8], address: String, header: [PageLink]) {
    let top = LinkResolver(address: address)
    var base = top
    var hasBase = false
    var links: [PageLink] = []
    var anchors: [String] = []
    page.withUnsafeBytes { html in
      var reader = HTMLMarkupReader(html)
      var lines = PlainTextWriter()
      var text: [UInt8] = []
      var index = 0
      while let start = html[index...].firstIndex(of: 0x3C) {
        index = reader.readMarkup(at: start, &lines, &text)
        text.removeAll(keepingCapacity: true)
        // A `<` that begins no tag is passed over alone.
        guard let name = Self.name(of: html, at: start),
          case let behind = start + 1 + name.utf8.count, behind <= index
        else { continue }
        var attributes = HTMLPicture.Tag(html.slice(behind, index))
        let tag = attributes.attributes(limit: Self.attributeLimit)
        switch name {
        case "base" where !hasBase:
          guard let target = tag["href"] else { continue }
          base = top.within(target)
          hasBase = true
        case "link" where links.count < Self.linkLimit:
          guard let target = tag["href"], let relations = tag["rel"] else { continue }
          links.append(
            PageLink(
              relations: relations.lowercased().split(whereSeparator: \.isWhitespace).map(
                String.init),
              type: tag["type"] ?? "", target: target, title: tag["title"] ?? ""))
        case "a" where anchors.count < Self.anchorLimit:
          guard let target = tag["href"], Self.looksLikeFeed(target) else { continue }
          anchors.append(target)
        default: break
        }
      }
    }
    let all = links.map { ($0, base) } + header.prefix(Self.linkLimit).map { ($0, top) }
    feeds = Self.feeds(among: all, of: address)
    var known = Set(feeds.map(\.address))
    for target in anchors {
      guard let found = Self.address(target, base, of: address), known.insert(found).inserted else {
        continue
      }
      self.anchors.append(found)
    }
  }

  /// The name of the element if its links count: `base`, `link` or `a`.
  private static func name(of html: UnsafeRawBufferPointer, at start: Int) -> String? {
    let name = html[(start + 1)...].prefix(5).prefix { CharacterScan.isLetter($0) }
    guard name.count == 1 || name.count == 4 else { return nil }
    let text = String(decoding: name, as: UTF8.self).lowercased()
    return ["a", "base", "link"].contains(text) ? text : nil
  }

  private static func feeds(
    among links: [(PageLink, LinkResolver)], of page: String
  ) -> [FeedLink] {
    var found: [(feed: FeedLink, rank: Int)] = []
    var known: [String: Int] = [:]
    for (link, base) in links {
      guard let rank = rank(of: link), let address = address(link.target, base, of: page) else {
        continue
      }
      let feed = FeedLink(address: address, title: link.title.trimmed(), type: link.type)
      if let index = known[address] {
        if rank < found[index].rank { found[index] = (feed, rank) }
        continue
      }
      known[address] = found.count
      found.append((feed, rank))
    }
    let best = found.map(\.rank).min()
    let feeds = found.filter { $0.rank == best }.map(\.feed)
    let others = feeds.filter { !isOfComments($0) }
    var forms: [(title: String, types: Set<String>)] = []
    return (others.isEmpty ? feeds : others).filter { feed in
      let title = bareTitle(feed.title)
      if let index = forms.firstIndex(where: { $0.title == title }) {
        return !forms[index].types.insert(feed.type).inserted
      }
      forms.append((title, [feed.type]))
      return true
    }
  }

  /// How certainly a link leads to a feed: 0 for the types of feeds, 1 for types that other documents have,
  /// too, 2 for a link without a type that calls itself a feed; nil for others.
  private static func rank(of link: PageLink) -> Int? {
    let isFeed = link.relations.contains("feed")
    guard isFeed || link.relations.contains("alternate"), !link.relations.contains("stylesheet")
    else { return nil }
    let target = link.target.lowercased()
    switch link.type {
    case "application/rss+xml", "application/atom+xml", "application/feed+json",
      "application/x-rss+xml", "application/x-atom+xml", "text/rss+xml", "application/rss":
      return 0
    case "application/rdf+xml", "application/json", "application/xml", "text/xml":
      // Interfaces and descriptions of a site, which are linked in the same way.
      let others = ["/wp-json", "oembed", "opensearch", "sitemap", "xmlrpc", "rsd", "manifest"]
      return others.contains { target.contains($0) } ? nil : 1
    case "": return isFeed ? 2 : nil
    default: return nil
    }
  }

  private static func address(_ target: String, _ base: LinkResolver, of page: String) -> String? {
    guard target.utf8.count <= addressBytes, !target.trimmed().isEmpty,
      let found = try? PastedAddress(base.resolve(target), isFile: nil).sources.first,
      let url = URL(printed: found), let host = url.host, !host.isEmpty,
      ["http", "https"].contains(url.scheme?.lowercased())
    else { return nil }
    // A page that was read by https has a server that speaks it.
    guard url.scheme == "http", let own = URL(printed: page), own.scheme == "https",
      own.host == host, url.port == nil
    else { return url.absoluteString }
    return "https" + url.absoluteString.dropFirst(4)
  }

  /// Whether an ordinary link seems to lead to a feed, by the last part of its path.
  private static func looksLikeFeed(_ target: String) -> Bool {
    let path = target.lowercased().prefix { !"?#".contains($0) }
    let last = path.split(scalar: "/").last ?? ""
    let names: Set<Substring> = [
      "feed", "rss", "atom", "feed.xml", "rss.xml", "atom.xml", "index.rdf", "feed.json",
    ]
    return names.contains(last) || last.hasSuffix(".rss") || last.hasSuffix(".atom")
  }

  private static func isOfComments(_ feed: FeedLink) -> Bool {
    let words = [
      "comment", "kommentar", "comentario", "comentário", "commenti", "reacties", "komentar",
    ]
    let texts = [feed.title.lowercased(), feed.address.lowercased()]
    return words.contains { word in texts.contains { $0.contains(word) } }
  }

  /// A title without the words for a format, in which forms of one feed differ.
  private static func bareTitle(_ title: String) -> String {
    let formats: Set<Substring> = [
      "rss", "rss2", "atom", "rdf", "xml", "json", "feed", "jsonfeed", "1", "2", "0", "03", "92",
      "3",
    ]
    return title.lowercased().split { !$0.isLetter && !$0.isNumber }
      .filter { !formats.contains($0) }.joined(separator: " ")
  }
}
