import Foundation
import OffersCore

/// The URLs on pages, and checks of URLs that come from requests and feeds.
enum PageLinks {
  static func offer(_ ref: OfferRef) -> String { "/offers/" + PercentCode.encode(ref.description) }
  /// The URL on this server of an offer's image; nil if it has none. It contains a hash of the
  /// image's original URL, so that browsers may cache the response and still load a new image.
  static func image(of offer: Offer) -> String? {
    guard let url = offer.imageURLText else { return nil }
    var hash = ContentHash(seed: 2)
    StableAddress.ofPicture(url.utf8).withUnsafeBytes { hash.combine($0) }
    return "/api/v1/images/" + PercentCode.encode(offer.ref.description) + "?v="
      + String(hash.value, radix: 36)
  }
  /// The URL on this server of an offer's image for a list, which is no wider than its place; nil if it
  /// has none.
  static func thumbnail(of offer: Offer) -> String? {
    image(of: offer).map { "\($0)&width=\(ImageCacheLimits.thumbnailWidth)" }
  }
  /// The URL on this server of an offer's image for a page of its own: in the larger size that its address
  /// can name, else as it is; nil if it has none.
  static func largeImage(of offer: Offer) -> String? {
    guard let url = offer.imageURLText,
      SizedImageURL.address(url, pixels: SizedImageURL.large) != nil
    else { return image(of: offer) }
    return image(of: offer).map { "\($0)&size=\(SizedImageURL.large)" }
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

/// Addresses of pictures that name their size, such as `…/100x100bb.jpg`: their servers make the picture
/// in each size that is asked for.
enum SizedImageURL {
  /// The width and height in pixels of the picture of an offer's page.
  static let large = 600

  /// The address of a square picture in another size; nil if the address names no smaller square size
  /// at the start of its last part.
  static func address(_ url: String, pixels: Int) -> String? {
    let parts = url.split(scalar: "/", omittingEmptySubsequences: false)
    guard parts.count > 3, let name = parts.last else { return nil }
    let digits = name.unicodeScalars.prefix { ("0"..."9").contains($0) }
    guard let size = Int(String(digits)), (1..<pixels).contains(size) else { return nil }
    let old = "\(size)x\(size)"
    guard name.hasPrefix(old), let next = name.dropFirst(old.count).unicodeScalars.first,
      !("0"..."9").contains(next)
    else { return nil }
    let start = parts.dropLast().joined(separator: "/")
    return "\(start)/\(pixels)x\(pixels)\(name.dropFirst(old.count))"
  }
}
