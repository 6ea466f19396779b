import OffersCore

/// The page that shows other sites in a sandboxed frame.
///
/// A link from another site shows nothing: the person has to confirm its address first. Otherwise a
/// page on the internet could have this page load addresses of the private network.
struct WebPage {
  let request: PageRequest

  func page() -> Page {
    let asked = request.fields["url"]
    let address = asked.flatMap(Self.address)
    var page = Page("web", title: "Web", menuEntry: .web) { fields in
      fields.set("asked", address ?? asked)
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
    page.reach = .frames
    // A cached response to one of this server's pages must not answer a link from another site.
    if asked != nil { page.lifetime = .never }
    return page
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
