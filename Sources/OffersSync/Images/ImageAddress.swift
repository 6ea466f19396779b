import Foundation
import OffersCore

/// The URL from which an offer's image is requested, resolved from the address in the feed.
struct ImageAddress: Hashable, Sendable {
  /// An http or https URL.
  let url: String

  /// - Parameters:
  ///   - text: the address as it is in the feed; it may be relative.
  ///   - feedSource: the source of the feed, the base of a relative address. An `http:` address is
  ///     upgraded to https if the feed itself is read from the same host by https, both on the
  ///     default port.
  /// - Throws: `OffersError` with `notFound` for an address that is empty, or relative to a feed
  ///   without a URL; `invalidRequest` for one that is not an http or https URL.
  init(_ text: String, feedSource: String?) throws {
    let text = text.trimmingCharacters(in: .whitespacesAndNewlines)
    if text.isEmpty { throw OffersError(.notFound, "The offer has no picture.") }
    let source = feedSource.flatMap { URL(printed: $0) }.flatMap { Self.isOnWeb($0) ? $0 : nil }
    guard let url = URL(printed: text, relativeTo: source)?.absoluteURL else {
      throw OffersError(.invalidRequest, "The picture's address \(text) is not a URL.")
    }
    guard let scheme = url.scheme?.lowercased() else {
      throw OffersError(
        .notFound, "The picture's address \(text) is relative to a feed that is not on the web.")
    }
    guard Self.isOnWeb(url) else {
      throw OffersError(
        .invalidRequest, "The picture's address has the scheme \(scheme), which is not supported.")
    }
    self.url =
      Self.isUpgraded(url, source) ? "https" + url.absoluteString.dropFirst(4) : url.absoluteString
  }

  private static func isOnWeb(_ url: URL) -> Bool {
    let scheme = url.scheme?.lowercased()
    return (scheme == "http" || scheme == "https") && url.host()?.isEmpty == false
  }

  private static func isUpgraded(_ url: URL, _ source: URL?) -> Bool {
    guard let source, source.scheme?.lowercased() == "https", url.scheme?.lowercased() == "http",
      url.port == nil, source.port == nil || source.port == 443
    else { return false }
    return HTTPOrigin(url).host == HTTPOrigin(source).host
  }
}
