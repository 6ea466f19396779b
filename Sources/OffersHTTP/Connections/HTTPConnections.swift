import AsyncHTTPClient
import Foundation
import NIOCore
import NIOPosix
import OffersCore
import OffersPlatform
import OffersSync

/// Persistent connections to servers, by default one for each origin, to addresses that have been
/// checked.
///
/// A host name is resolved once, and the connection goes to exactly the address that was checked,
/// so that a name that resolves differently a moment later (DNS rebinding) has no effect. A proxy
/// resolves names itself; then only literal addresses and reserved private names can be checked.
package actor HTTPConnections: ClosableTransport {
  private let environment: @Sendable (String) -> String?
  private let connectionsPerHost: Int
  private let lookUp: LookUp
  private var hosts: [HostKey: Task<Host, any Error>] = [:]
  /// Clients of unreachable addresses, which are closed at the end, because other requests may
  /// still use them.
  private var retired: [HTTPClient] = []

  /// Resolves a name to its addresses, in the order of preference.
  package typealias LookUp =
    @Sendable (_ name: String, _ port: Int) async throws -> [NetworkAddress]

  /// The key of a host's connections. Requests that may go to private addresses have separate
  /// connections, because other requests must not use them. So have requests with another timeout,
  /// which is a setting of the client.
  private struct HostKey: Hashable, Sendable {
    let origin: HTTPOrigin
    let mayBePrivate: Bool
    let idleSeconds: Double

    init(_ request: TransportRequest) {
      origin = HTTPOrigin(request.url)
      mayBePrivate = request.mayBePrivate
      idleSeconds = request.idleSeconds
    }
  }

  private struct Host: Sendable {
    /// The client that connects to `addresses[0]`, or to the proxy if there is one.
    let client: HTTPClient
    /// The addresses that are left to try, the one in use first; empty for a name that a proxy
    /// resolves.
    let addresses: [NetworkAddress]
  }

  /// The maximum number of a host's addresses that are tried.
  private static let triedAddresses = 4

  /// - Parameters:
  ///   - connectionsPerHost: the maximum number of concurrent connections to one origin.
  ///   - environment: returns the value of an environment variable, for proxies and certificates.
  ///   - lookUp: resolves names that are not literal addresses.
  package init(
    connectionsPerHost: Int = 1,
    environment: @escaping @Sendable (String) -> String?,
    lookUp: @escaping LookUp = { try await HostAddresses.resolve($0, port: $1) }
  ) {
    self.lookUp = lookUp
    self.connectionsPerHost = connectionsPerHost
    self.environment = environment
  }

  package func close() async {
    for (_, host) in hosts {
      // A host whose set-up failed has no connection to close.
      guard let host = try? await host.value else { continue }
      host.client.shutdown { _ in }
    }
    for client in retired { client.shutdown { _ in } }
    hosts = [:]
    retired = []
  }

  package func send(_ request: TransportRequest) async throws -> TransportResponse {
    do {
      let response = try await execute(request)
      return TransportResponse(
        status: Int(response.status.code), reason: response.status.reasonPhrase,
        headers: response.headers.map { HeaderField($0.name, $0.value) },
        body: ResponsePieces(body: response.body))
    } catch {
      throw ClientFailure.translate(error)
    }
  }

  private func execute(_ request: TransportRequest) async throws -> HTTPClientResponse {
    // The normalized URL is sent. The client's DNS override compares host names byte by byte: it
    // would itself resolve a name in another spelling, such as in upper case, to an unchecked
    // address.
    var sent = HTTPClientRequest(url: request.url.absoluteString)
    for field in request.headers { sent.headers.add(name: field.name, value: field.value) }
    if let body = request.body {
      sent.method = .POST
      sent.body = .bytes(body)
    }
    var host = try await fetchHost(request)
    while true {
      // Each address is checked right before the connection, even if it was checked when it was
      // resolved.
      if let address = host.addresses.first { try request.check(address: address.text) }
      do {
        return try await host.client.execute(
          sent, timeout: .milliseconds(Int64(request.headSeconds * 1000)))
      } catch  where host.addresses.count > 1 && ClientFailure.isUnreachable(error) {
        host = try await moveOn(from: host, request)
      }
    }
  }

  private func fetchHost(_ request: TransportRequest) async throws -> Host {
    let key = HostKey(request)
    if let known = hosts[key] { return try await known.value }
    let name = request.address.host
    let proxy = try ProxySettings(environment: environment).proxy(for: request.url)
    let task = Task { [connectionsPerHost, environment, lookUp] in
      var addresses: [NetworkAddress] = []
      if let literal = request.address.literal {
        addresses = [literal]
      } else if proxy == nil {
        addresses = try await Timeout.run(seconds: HostAddresses.lookUpSeconds) {
          try await lookUp(name, key.origin.port)
        } late: {
          OffersError(
            .sourceFailed, "The host name \(name) could not be resolved in time.",
            hint: "Nothing was changed. Check the network, then sync again.")
        }
      }
      if !request.mayBePrivate, let first = addresses.first {
        addresses = addresses.filter(\.isPublic)
        if addresses.isEmpty { try request.check(address: first.text) }
      }
      addresses = Array(addresses.prefix(Self.triedAddresses))
      return Host(
        client: try Self.client(
          request, connectionsPerHost, environment, proxy, addresses.first),
        addresses: addresses)
    }
    hosts[key] = task
    do {
      return try await task.value
    } catch {
      hosts[key] = nil
      throw error
    }
  }

  /// Replaces the client of a host by one that connects to the next address.
  private func moveOn(from host: Host, _ request: TransportRequest) async throws -> Host {
    let key = HostKey(request)
    // Another request may have done so already.
    if let known = hosts[key], case let current = try await known.value,
      current.client !== host.client
    {
      return current
    }
    let rest = Array(host.addresses.dropFirst())
    let next = Host(
      client: try Self.client(request, connectionsPerHost, environment, nil, rest.first),
      addresses: rest)
    hosts[key] = Task { next }
    retired.append(host.client)
    return next
  }

  private static func client(
    _ request: TransportRequest, _ connections: Int, _ environment: (String) -> String?,
    _ proxy: Proxy?, _ address: NetworkAddress?
  ) throws -> HTTPClient {
    var configuration = HTTPClient.Configuration()
    configuration.redirectConfiguration = .disallow
    configuration.timeout = .init(
      connect: .milliseconds(Int64(min(request.idleSeconds, 10) * 1000)),
      read: .milliseconds(Int64(request.idleSeconds * 1000)))
    // The engine decompresses: it knows both variants of “deflate”, and limits the compressed size,
    // too.
    configuration.decompression = .disabled
    configuration.httpVersion = .http1Only
    configuration.tracing.tracer = nil
    configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = connections
    configuration.connectionPool.retryConnectionEstablishment = false
    // Large reads, because each part of a body is passed between threads.
    configuration.http1_1ConnectionDebugInitializer = { channel in
      channel.setOption(
        .recvAllocator,
        value: AdaptiveRecvByteBufferAllocator(
          minimum: 1024, initial: 16_384, maximum: pieceBytes))
    }
    // Certificates are loaded for https only, because parsing the file is slow.
    if request.url.scheme == "https" {
      configuration.tlsConfiguration = try TrustedCertificates.configuration(environment)
    }
    if let proxy {
      let login = proxy.user.map {
        HTTPClient.Authorization.basic(username: $0, password: proxy.password ?? "")
      }
      configuration.proxy = .server(host: proxy.host, port: proxy.port, authorization: login)
    } else if let address {
      configuration.dnsOverride = [request.address.host: address.text]
    }
    return HTTPClient(eventLoopGroupProvider: .shared(eventLoops), configuration: configuration)
  }

  /// The event loop of all connections. One thread is enough, because bodies are processed on
  /// others.
  private static let eventLoops = MultiThreadedEventLoopGroup(numberOfThreads: 1)

  /// The maximum size of one read of a body.
  private static let pieceBytes = 512 << 10
}
