import Foundation
import OffersCore
import OffersFeeds

/// The settings of a fetch of a feed besides its address, and the log of its responses.
struct FetchSettings {
  let transport: any HTTPTransport
  let limits: FetchLimits
  var allowsPrivateNetwork = false
  /// Whether the server that the source names may be in a private network. Servers of redirects and
  /// next pages may be there only with `allowsPrivateNetwork`, unless they are the same one.
  let sourceMayBePrivate: Bool
  /// The advice in the error if the source leads to a private network and must not; nil for the
  /// general advice.
  var sourceAdvice: Hint?
  /// The condition of the request for the first document.
  var condition = FetchCondition.none
  /// The URL that the source has permanently moved to, which is requested instead; nil if it has
  /// not moved.
  var newAddress: String?
  let now: @Sendable () -> Date
  /// Called with a line about each response. The receiver must remove the values of variables from
  /// the line before it is logged.
  var trace: @Sendable (String) -> Void = { _ in }
  let log = FetchLog()

  /// The fetch of the source's document, or of one of its further pages.
  ///
  /// - Parameters:
  ///   - source: the address of the source, with its placeholders filled in.
  ///   - headers: the headers of the feed's definition.
  ///   - isFirst: whether it is the source's document, not a further page.
  ///   - explain: returns the error message in the body of an error response; nil if there is none.
  func document(
    _ source: String, headers: [(name: String, value: String)], isFirst: Bool,
    explain: @escaping ([UInt8]) -> String?
  ) -> DocumentFetch {
    DocumentFetch(
      transport: transport, limits: limits, namedOrigin: HTTPOrigin(source),
      sourceMayBePrivate: sourceMayBePrivate, sourceAdvice: sourceAdvice,
      allowsPrivateNetwork: allowsPrivateNetwork, headers: headers,
      isFirst: isFirst, isMoved: newAddress != nil, condition: isFirst ? condition : .none,
      trace: trace, log: log, now: now, explain: explain)
  }
}
