import Foundation
import OffersCore

/// The URLs on pages, and checks of URLs that come from requests and feeds.
enum PageLinks {
  static func offer(_ ref: OfferRef) -> String { "/offers/" + PercentCode.encode(ref.description) }
  /// The URL on this server of an offer's image; nil if it has none. It contains a hash of the
  /// image's original URL, so that browsers may cache the response and still load a new image. With `&width=` and a
  /// number of pixels it is the image for a list, in a place of that width.
  static func image(of offer: Offer) -> String? {
    guard let url = offer.imageURLText else { return nil }
    var hash = ContentHash(seed: 2)
    StableAddress.ofPicture(url.utf8).withUnsafeBytes { hash.combine($0) }
    return "/api/v1/images/" + PercentCode.encode(offer.ref.description) + "?v="
      + String(hash.value, radix: 36)
  }
  static func feed(_ name: String) -> String { "/feeds/" + PercentCode.encode(name) }

  /// A path with a query; fields that are nil are left out.
  static func path(_ path: String, _ fields: [(String, String?)]) -> String {
    let query = fields.compactMap { name, value in value.map { "\(name)=\(PercentCode.encode($0))" }
    }
    return query.isEmpty ? path : path + "?" + query.joined(separator: "&")
  }

  /// An absolute http or https URL that a page may link to, encoded (`AddressEncoding`), with white
  /// space around it removed. Nil for a relative URL, another scheme, a URL without a host or over 4096
  /// bytes, and a host with ASCII white space or control characters or with backslashes, which browsers
  /// drop or reinterpret.
  static func outside(_ text: String?) -> String? {
    guard let printed = text?.trimmingCharacters(in: .whitespacesAndNewlines),
      printed.utf8.count <= 4096
    else { return nil }
    let address = AddressEncoding.encoded(printed)
    return isOutside(address) ? address : nil
  }

  /// Whether a text is an absolute http or https URL with a host, and without white space or control
  /// characters.
  static func isOutside(_ text: String) -> Bool {
    guard
      text.unicodeScalars.allSatisfy({ $0.value > 0x20 && $0.value != 0x7F && $0 != "\\" })
    else { return false }
    let lower = text.prefix(8).lowercased()
    guard let scheme = ["http://", "https://"].first(where: lower.hasPrefix),
      let first = text.dropFirst(scheme.count).unicodeScalars.first
    else { return false }
    return !"/?#".unicodeScalars.contains(first)
  }

  /// The host and port of a URL that `outside` accepted, for display: without user name and `www.`.
  static func host(_ address: String) -> String {
    let rest =
      address.split(scalar: "/", maxSplits: 2, omittingEmptySubsequences: false).last ?? ""
    // The search is by scalars: a slash and a combining accent after it form one character, which
    // would not end the host.
    let end = rest.unicodeScalars.firstIndex { "/?#".unicodeScalars.contains($0) }
    let authority = rest[..<(end ?? rest.endIndex)]
    let host = authority.split(scalar: "@").last.map(String.init) ?? ""
    return host.hasPrefix("www.") ? String(host.dropFirst(4)) : host
  }
}
