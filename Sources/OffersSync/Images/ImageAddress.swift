import Foundation
import OffersCore

/// Where the image of an offer is asked for, which need not be what its feed prints.
struct ImageAddress: Hashable, Sendable {
  /// An http or https URL.
  let url: String

  /// - Parameters:
  ///   - text: as the feed prints it.
  ///   - feedSource: where the feed is read from. A relative address is one beside the feed. An
  ///     `http:` one is asked for by https where the feed is read from the same host that way; on
  ///     any other host it is asked for as it is.
  /// - Throws: `OffersError` with `notFound` for an empty or relative address, `invalidRequest` for
  ///   one that is not on the web.
  init(_ text: String, feedSource: String?) throws {
    let text = text.trimmingCharacters(in: .whitespacesAndNewlines)
    if text.isEmpty { throw OffersError(.notFound, "The offer has no picture.") }
    let source = feedSource.flatMap { URL(string: $0) }.flatMap { Self.isOnWeb($0) ? $0 : nil }
    guard let url = URL(string: text, relativeTo: source)?.absoluteURL else {
      throw OffersError(.invalidRequest, "The picture's address \(text) is not a URL.")
    }
    guard let scheme = url.scheme?.lowercased() else {
      throw OffersError(
        .notFound, "The picture's address \(text) is relative to a feed that is not on the web.")
    }
    guard Self.isOnWeb(url) else {
      throw OffersError(
        .invalidRequest, "The picture's address has the scheme \(scheme), which is not read.")
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
