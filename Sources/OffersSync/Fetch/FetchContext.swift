import Foundation
import OffersFeeds

/// What a fetch needs besides the address.
struct FetchContext {
  let transport: any HTTPTransport
  let limits: FetchLimits
  var allowsPrivateNetwork = false
  /// Whether the source itself may stand in a private network.
  let sourceMayBePrivate: Bool
  /// What to do about a source that may not, and does; nil for one that may.
  var sourceHint: String?
  /// The first document's.
  var condition = FetchCondition.none
  /// Where the source has moved for good; nil where it has not.
  var newAddress: String?
  let now: @Sendable () -> Date
  /// Is told each request and answer, without the values of variables.
  var trace: @Sendable (String) -> Void = { _ in }
  let log = FetchLog()

  /// A document that the source names, or one that its document leads to.
  ///
  /// - Parameter source: the address that a person named, filled in.
  func document(
    _ source: String, headers: [(name: String, value: String)], isFirst: Bool,
    explain: @escaping ([UInt8]) -> String?
  ) -> HTTPDocument {
    HTTPDocument(
      transport: transport, limits: limits, namedOrigin: HTTPOrigin(source),
      sourceMayBePrivate: sourceMayBePrivate, sourceHint: sourceHint,
      allowsPrivateNetwork: allowsPrivateNetwork, headers: headers,
      isFirst: isFirst, isMoved: newAddress != nil, condition: isFirst ? condition : .none,
      trace: trace, log: log, now: now, explain: explain)
  }
}
