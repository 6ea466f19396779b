import OffersCore

/// The page that shows other sites in a sandboxed frame.
///
/// A link from another site shows nothing: the person has to confirm its address first. Otherwise a
/// page on the internet could have this page load addresses of the private network.
struct FramedSitePage {
  let source: PageSource
  let request: PageRequest

  func page() async throws -> Page {
    let feeds = try await source.fetchFeeds()
    let home = try await findHome(of: feeds)
    let asked = request.fields["url"]
    let address = asked.flatMap(Self.address)
    var page = Page("web", title: "Web", menuEntry: .web) { fields in
      fields.set("asked", address ?? asked)
      if let home {
        fields.set(
          "home",
          PageFields { fields in
            fields.set("homeLink", home)
            fields.set("homeHost", PageLinks.host(home))
            fields.set("homeFrameLink", PageLinks.path("/web", [("url", home)]))
          })
      }
      if let address, !request.isTrusted {
        fields.set("offered", PageFields { $0.set("siteHost", PageLinks.host(address)) })
      } else if let address {
        fields.set(
          "site",
          PageFields { site in
            site.set("siteLink", address)
            site.set("siteHost", PageLinks.host(address))
          })
      } else if asked != nil {
        fields.set("refused", true)
      }
    }
    page.sidebarFeeds = feeds
    page.reach = .frames
    // The definitions may change without a write to the database.
    page.lifetime = .seconds(10)
    // A cached response to one of this server's pages must not answer a link from another site.
    if asked != nil { page.lifetime = .never }
    return page
  }

  /// The home page that the definition of a subscribed feed has; nil for none.
  private func findHome(of feeds: [Feed]) async throws -> String? {
    let subscribed = Set(feeds.map(\.name))
    return try await source.content.syncer.fetchKnownFeeds().lazy
      .filter { subscribed.contains($0.name) }.compactMap { PageLinks.outside($0.home) }.first
  }

  /// The URL for an address as people type it: `example.com` means `https://example.com`. Nil for a
  /// URL that is neither http nor https, and for a text that is no host name.
  private static func address(_ text: String) -> String? {
    if let address = PageLinks.outside(text) { return address }
    let name = text.prefix { $0 != "/" && $0 != "?" && $0 != "#" }
    // A colon precedes a port; otherwise the text has another scheme.
    let parts = name.split(scalar: ":", omittingEmptySubsequences: false)
    guard parts.count <= 2, parts[0].contains(".") || parts[0] == "localhost",
      parts.count == 1 || parts[1].allSatisfy({ $0.isASCII && $0.isNumber })
    else { return nil }
    return PageLinks.outside("https://" + text)
  }
}
