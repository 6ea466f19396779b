import Foundation
import OffersCore

/// Addresses, of our own pages and of others.
enum PageLinks {
  static func offer(_ ref: OfferRef) -> String { "/offers/" + PercentCode.encode(ref.description) }
  /// An offer's image; nil where it has none. Another image has another address, so that browsers
  /// may keep each as long as they like.
  static func image(of offer: Offer) -> String? {
    guard var url = offer.imageURL else { return nil }
    var hash = ContentHash(seed: 2)
    url.withUTF8 { hash.combine(UnsafeRawBufferPointer($0)) }
    return "/api/v1/images/" + PercentCode.encode(offer.ref.description) + "?v="
      + String(hash.value, radix: 36)
  }
  static func feed(_ name: String) -> String { "/feeds/" + PercentCode.encode(name) }

  /// A path with fields behind it; those that are nil are left out.
  static func path(_ path: String, _ fields: [(String, String?)]) -> String {
    let query = fields.compactMap { name, value in value.map { "\(name)=\(PercentCode.encode($0))" }
    }
    return query.isEmpty ? path : path + "?" + query.joined(separator: "&")
  }

  /// An address elsewhere that a person may open: http or https with a host, and nothing in it that
  /// a browser would leave out. Nil for all else, also for what is relative.
  static func outside(_ text: String?) -> String? {
    guard let text = text?.trimmingCharacters(in: .whitespacesAndNewlines),
      text.utf8.count <= 4096,
      text.unicodeScalars.allSatisfy({ $0.value > 0x20 && $0.value != 0x7F && $0 != "\\" })
    else { return nil }
    let lower = text.prefix(8).lowercased()
    guard let scheme = ["http://", "https://"].first(where: lower.hasPrefix),
      let first = text.dropFirst(scheme.count).unicodeScalars.first,
      !"/?#".unicodeScalars.contains(first)
    else { return nil }
    return text
  }

  /// The host of an address that `outside` let pass, as people read it.
  static func host(_ address: String) -> String {
    let rest =
      address.split(separator: "/", maxSplits: 2, omittingEmptySubsequences: false).last ?? ""
    let authority = rest.prefix { !"/?#".contains($0) }
    let host = authority.split(separator: "@").last.map(String.init) ?? ""
    return host.hasPrefix("www.") ? String(host.dropFirst(4)) : host
  }

  /// A path of our own to come back to; the start page for all else.
  static func back(_ text: String?) -> String {
    // A second slash, or a backslash that browsers take for one, would lead to another host.
    guard let text, text.hasPrefix("/"), !text.hasPrefix("//"), text.utf8.count <= 4096,
      text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "\\") })
    else { return "/" }
    return text
  }
}
