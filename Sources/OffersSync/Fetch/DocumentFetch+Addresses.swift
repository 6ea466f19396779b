import Foundation
import OffersCore

/// The rules for the addresses of a document's requests: the source's own and those of redirects.
extension DocumentFetch {
  /// Whether the server of an address may be in a private network: if the options allow it, or if
  /// the user of this machine named that server.
  func mayBePrivate(_ address: String) -> Bool {
    allowsPrivateNetwork || sourceMayBePrivate && isNamed(address)
  }

  /// Whether an address is on the server that the source names.
  func isNamed(_ address: String) -> Bool {
    guard let namedOrigin else { return false }
    return HTTPOrigin(address) == namedOrigin
  }

  /// The target of a redirect.
  ///
  /// - Throws: `OffersError` with `sourceFailed` without a valid target, or for one from https to
  ///   http.
  func next(from url: String, _ response: TransportResponse) throws -> String {
    guard let location = response.headers.first(name: "location"),
      let target = URL(printed: location, relativeTo: URL(printed: url))?.absoluteURL,
      let scheme = target.scheme?.lowercased(), HTTPAddress(target.absoluteString) != nil
    else {
      throw OffersError(
        .sourceFailed, "\(url) redirects without a valid address.", hint: "Nothing was changed.")
    }
    if scheme == "http", url.lowercased().hasPrefix("https:") {
      throw OffersError(
        .sourceFailed, "\(url) redirects to the unencrypted \(target.absoluteString).",
        hint: "Nothing was changed. If that is right, sync from that address.")
    }
    return target.absoluteString
  }
}
