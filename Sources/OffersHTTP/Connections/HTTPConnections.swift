import Foundation
import OffersCore
import OffersPlatform
import OffersSync

/// Persistent connections to servers, by default one for each origin, to addresses that have been
/// checked.
///
/// A host name is resolved by the system, and each of its addresses is checked right before a connection
/// to it is opened, and again before a request is sent over a connection, so that a name that resolves
/// differently a moment later (DNS rebinding) has no effect. A proxy that resolves names itself leaves
/// only literal addresses and reserved private names to be checked.
package final class HTTPConnections: ClosableTransport {
  /// Resolves a name to its addresses, in the order of preference.
  package typealias LookUp = @Sendable (_ name: String) async throws -> [NetworkAddress]

  /// The most addresses of a name that are tried.
  private static let mostAddresses = 4

  private let environment: @Sendable (String) -> String?
  private let names: NameCache
  let loop: TransferLoop

  /// - Parameters:
  ///   - connectionsPerHost: the maximum number of concurrent connections to one origin.
  ///   - environment: returns the value of an environment variable, for proxies and certificates.
  ///   - lookUp: resolves names that are not literal addresses.
  package init(
    connectionsPerHost: Int = 1,
    environment: @escaping @Sendable (String) -> String?,
    lookUp: @escaping LookUp = { try await HostAddresses.resolve($0) }
  ) {
    self.environment = environment
    names = NameCache(lookUp)
    loop = TransferLoop(connectionsPerHost: connectionsPerHost)
  }

  deinit { loop.startClosing() }

  package func close() async { await loop.close() }

  package func send(_ request: TransportRequest) async throws -> TransportResponse {
    let plan = try await plan(request)
    let transfer = ResponseStream()
    let body = ResponsePieces(transfer, of: self)
    let head = try await withTaskCancellationHandler {
      try await transfer.fetchHead { loop.start(transfer, plan) }
    } onCancel: {
      loop.cancel(transfer)
    }
    return TransportResponse(
      status: head.status, reason: head.reason, headers: head.headers, body: body)
  }

  private func plan(_ request: TransportRequest) async throws -> TransferPlan {
    let begun = ContinuousClock.now
    try Self.check(request.headers)
    let proxy = try ProxySettings(environment: environment).proxy(for: request.url)
    var addresses: [NetworkAddress] = []
    if request.address.literal == nil, proxy?.resolvesNames != true {
      addresses = try await names.find(request.address.host)
      if !request.mayBePrivate, let first = addresses.first {
        addresses = addresses.filter(\.isPublic)
        if addresses.isEmpty { try request.check(address: first.text) }
      }
    }
    // Certificates matter for https, or for a proxy over TLS.
    let isEncrypted = request.url.scheme == "https" || proxy?.isEncrypted == true
    return TransferPlan(
      request: request, begun: begun, proxy: proxy,
      addresses: Array(addresses.prefix(Self.mostAddresses)),
      certificates: isEncrypted ? try TrustedCertificates.file(environment) : nil)
  }

  /// Throws if a field would end its line, and begin another one: libcurl sends fields as they are.
  private static func check(_ fields: [HeaderField]) throws {
    let isSafe = fields.allSatisfy { field in
      !field.name.isEmpty && field.name.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != 0x3A }
        && field.value.utf8.allSatisfy { ($0 >= 0x20 || $0 == 0x09) && $0 != 0x7F }
    }
    if !isSafe { throw TransportFailure(.other, cause: "a header field holds control characters") }
  }
}
