import Foundation
import Logging
import OffersCore
import OffersFeeds
import OffersPlatform
import OffersStore
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
    lookUp: @escaping LookUp = { try await HostResolver.resolve($0) }
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

extension SyncEngine {
  /// An engine with the HTTP client of this package. Each call opens connections of its own, and
  /// closes them at its end.
  ///
  /// - Parameters:
  ///   - store: the database of the offers, opened for writing.
  ///   - configuration: the definitions of the feeds.
  ///   - environment: returns the value of an environment variable: for the sources and headers of
  ///     definitions, for proxies (`https_proxy`, `http_proxy`, `all_proxy`, `no_proxy`) and for
  ///     certificates (`SSL_CERT_FILE`).
  ///   - logger: logs each step, without the values of variables; nil for none.
  ///   - now: the clock for the times of runs and offers, and for what is due.
  public init(
    store: OffersDatabase, configuration: FeedConfiguration = .shipped,
    environment: (@Sendable (String) -> String?)? = nil,
    logger: Logger? = nil,
    now: @escaping @Sendable () -> Date = { Date() }
  ) {
    let environment = environment ?? EnvironmentVariable.find
    self.init(
      store: store, transport: .owned { HTTPConnections(environment: environment) },
      configuration: configuration, environment: environment, logger: logger ?? .silent, now: now)
  }
}

extension ImageLoader {
  /// A loader with the HTTP client of this package. `close()` closes its connections.
  ///
  /// - Parameters:
  ///   - images: the database of the image cache, opened for writing.
  ///   - allowsPrivateNetwork: whether servers in private networks may be contacted.
  ///   - environment: returns the value of an environment variable: for proxies (`https_proxy`,
  ///     `http_proxy`, `all_proxy`, `no_proxy`) and for certificates (`SSL_CERT_FILE`).
  ///   - logger: logs each image that could not be fetched; nil for none.
  ///   - now: the clock for the freshness of images and for the memory of failures.
  public init(
    images: OffersDatabase, allowsPrivateNetwork: Bool = false,
    environment: (@Sendable (String) -> String?)? = nil,
    logger: Logger? = nil, now: @escaping @Sendable () -> Date = { Date() }
  ) {
    self.init(
      images: images, allowsPrivateNetwork: allowsPrivateNetwork,
      environment: environment ?? EnvironmentVariable.find,
      scaler: nil, logger: logger, now: now)
  }

  /// A loader with the HTTP client of this package.
  ///
  /// - Parameter scaler: makes the copies of images for lists; nil for none. The other parameters are
  ///   those of the public initializer.
  package init(
    images: OffersDatabase, allowsPrivateNetwork: Bool = false,
    environment: @escaping @Sendable (String) -> String? = EnvironmentVariable.find,
    scaler: (any ImageScaler)?, logger: Logger? = nil,
    now: @escaping @Sendable () -> Date = { Date() }
  ) {
    self.init(
      images: images,
      transport: .owned { HTTPConnections(connectionsPerHost: 2, environment: environment) },
      allowsPrivateNetwork: allowsPrivateNetwork, scaler: scaler, logger: logger ?? .silent,
      now: now)
  }
}

/// The body of a response in pieces, as they arrive, with the errors that `HTTPTransport` requires.
///
/// The transfer ends when nobody can read it any more, and when the task that reads it is cancelled.
struct ResponsePieces: AsyncSequence, Sendable {
  fileprivate let reading: Reading

  init(_ transfer: ResponseStream, of connections: HTTPConnections) {
    reading = Reading(transfer, connections)
  }

  /// The right to read a transfer: its end is the end of the transfer. It keeps the connections open.
  fileprivate final class Reading: Sendable {
    let transfer: ResponseStream
    let connections: HTTPConnections

    init(_ transfer: ResponseStream, _ connections: HTTPConnections) {
      self.transfer = transfer
      self.connections = connections
    }

    deinit { connections.loop.cancel(transfer) }
  }

  struct Iterator: AsyncIteratorProtocol {
    fileprivate let reading: Reading

    mutating func next() async throws -> [UInt8]? {
      let (transfer, loop) = (reading.transfer, reading.connections.loop)
      return try await withTaskCancellationHandler {
        try await transfer.nextPiece { loop.resume(transfer) }
      } onCancel: {
        loop.cancel(transfer)
      }
    }
  }

  func makeAsyncIterator() -> Iterator { Iterator(reading: reading) }
}

/// Resolves names, and keeps their addresses for a minute.
actor NameCache {
  /// How long addresses are kept, in seconds.
  private static let keepSeconds = 60.0
  /// The most names that are kept.
  private static let mostNames = 256

  private struct Entry {
    let addresses: [NetworkAddress]
    let found: ContinuousClock.Instant
  }

  private let lookUp: HTTPConnections.LookUp
  private var entries: [String: Entry] = [:]

  init(_ lookUp: @escaping HTTPConnections.LookUp) { self.lookUp = lookUp }

  /// The addresses of a name. Callers that ask for a name at the same time look it up each on their own,
  /// so that one that is cancelled does not wait, and fails no other.
  ///
  /// - Throws: `TransportFailure` if it cannot be resolved, or not in time.
  func find(_ name: String) async throws -> [NetworkAddress] {
    if let entry = entries[name], .now - entry.found < .seconds(Self.keepSeconds) {
      return entry.addresses
    }
    let addresses = try await Self.resolve(name, lookUp)
    if entries.count >= Self.mostNames { entries = [:] }
    entries[name] = Entry(addresses: addresses, found: .now)
    return addresses
  }

  private static func resolve(
    _ name: String, _ lookUp: @escaping HTTPConnections.LookUp
  ) async throws -> [NetworkAddress] {
    try await Timeout.run(seconds: HostResolver.lookUpSeconds) {
      try await lookUp(name)
    } late: {
      HostResolver.late(name)
    }
  }
}
