import Foundation
import OffersCore
import OffersFeeds

/// The settings of a fetch besides its address.
struct FetchContext {
  let transport: any HTTPTransport
  let limits: FetchLimits
  var allowsPrivateNetwork = false
  /// Whether the source itself may be in a private network.
  let sourceMayBePrivate: Bool
  /// The advice of the error if the source is in a private network and must not be.
  var sourceAdvice: Advice?
  /// The condition of the request for the first document.
  var condition = FetchCondition.none
  /// The address that the source has permanently moved to; nil if it has not moved.
  var newAddress: String?
  let now: @Sendable () -> Date
  /// Logs each request with its response. The receiver removes the values of variables.
  var trace: @Sendable (String) -> Void = { _ in }
  let log = FetchLog()

  /// The fetch of the source's document, or of one of its further pages.
  ///
  /// - Parameters:
  ///   - source: the address of the source, with its placeholders filled in.
  ///   - isFirst: whether it is the source's document.
  ///   - explain: finds the error message in the body of an error response.
  func document(
    _ source: String, headers: [(name: String, value: String)], isFirst: Bool,
    explain: @escaping ([UInt8]) -> String?
  ) -> HTTPDocument {
    HTTPDocument(
      transport: transport, limits: limits, namedOrigin: HTTPOrigin(source),
      sourceMayBePrivate: sourceMayBePrivate, sourceAdvice: sourceAdvice,
      allowsPrivateNetwork: allowsPrivateNetwork, headers: headers,
      isFirst: isFirst, isMoved: newAddress != nil, condition: isFirst ? condition : .none,
      trace: trace, log: log, now: now, explain: explain)
  }
}
