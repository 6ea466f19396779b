import AsyncHTTPClient
import Foundation
import NIOCore
import NIOPosix
import OffersCore
import OffersPlatform

/// A transport of HTTP requests.
protocol HTTPTransport: Sendable {
  /// Sends a request, and returns the head and the body stream of the response.
  ///
  /// - Parameters:
  ///   - mayBePrivate: whether the server may be in a private network; see `NetworkAddress`.
  ///   - timeoutSeconds: the timeout for the head of the response.
  /// - Throws: `OffersError` for an address that is not allowed; otherwise the errors of the
  ///   client.
  func execute(
    _ request: HTTPClientRequest, mayBePrivate: Bool, timeoutSeconds: Double
  ) async throws -> HTTPClientResponse
}

/// Persistent connections to servers, by default one per host, to addresses that have been checked.
///
/// A host name is resolved once, and the connection goes to exactly the address that was checked,
/// so that a name that resolves differently a moment later (DNS rebinding) has no effect. A proxy
/// resolves names itself; then only literal addresses and reserved private names can be checked.
actor HTTPConnections: HTTPTransport {
  private let limits: FetchLimits
  private let environment: @Sendable (String) -> String?
  private let connectionsPerHost: Int
  private let lookUp: LookUp
  private var hosts: [HostKey: Task<Host, any Error>] = [:]
  /// Clients of unreachable addresses, which other requests may still use.
  private var retired: [HTTPClient] = []

  /// Resolves a name to its addresses, in the order of preference.
  typealias LookUp = @Sendable (_ name: String, _ port: Int) async throws -> [NetworkAddress]

  /// The key of a host's connections. Requests that may go to private addresses have separate
  /// connections, because other requests must not use them.
  private struct HostKey: Hashable, Sendable {
    let origin: HTTPOrigin
    let mayBePrivate: Bool
  }

  private struct Host: Sendable {
    /// The client that connects to `addresses[0]`.
    let client: HTTPClient
    /// The addresses that are left to try; empty with a proxy, which resolves names itself.
    let addresses: [NetworkAddress]
  }

  /// The timeout for resolving a name.
  private static let lookUpSeconds = 20.0
  /// The maximum number of a host's addresses that are tried.
  private static let triedAddresses = 4

  /// - Parameters:
  ///   - connectionsPerHost: the maximum number of concurrent requests to one host.
  ///   - environment: finds the variables that name a proxy and a file of certificates.
  ///   - lookUp: resolves names that are not literal addresses.
  init(
    limits: FetchLimits, connectionsPerHost: Int = 1,
    environment: @escaping @Sendable (String) -> String?,
    lookUp: @escaping LookUp = { try await HostAddresses.resolve($0, port: $1) }
  ) {
    self.lookUp = lookUp
    self.limits = limits
    self.connectionsPerHost = connectionsPerHost
    self.environment = environment
  }

  /// Starts to close all connections. Must be called after all requests have ended.
  func close() async {
    for (_, host) in hosts {
      // A host whose set-up failed has no connection to close.
      guard let host = try? await host.value else { continue }
      host.client.shutdown { _ in }
    }
    for client in retired { client.shutdown { _ in } }
    hosts = [:]
    retired = []
  }

  func execute(
    _ request: HTTPClientRequest, mayBePrivate: Bool, timeoutSeconds: Double
  ) async throws -> HTTPClientResponse {
    // The URL is normalized, because the client's DNS override compares host names byte by byte,
    // and would resolve a name in another spelling itself.
    let (url, name) = try Self.normalized(request.url)
    var request = request
    request.url = url.absoluteString
    let key = HostKey(origin: HTTPOrigin(url), mayBePrivate: mayBePrivate)
    var host = try await fetchHost(key, url, name)
    while true {
      // Each address is checked right before the connection, however it was chosen.
      if !mayBePrivate, let address = host.addresses.first, !address.isPublic {
        throw Self.refusal(url, address.text)
      }
      do {
        return try await host.client.execute(
          request, timeout: .milliseconds(Int64(timeoutSeconds * 1000)))
      } catch  where host.addresses.count > 1 && Self.isUnreachable(error) {
        host = try await moveOn(from: host, key, name)
      }
    }
  }

  /// The URL with its host in lower case and ASCII, and the host in the spelling that the client
  /// uses for its DNS override.
  ///
  /// - Throws: `HTTPClientError.invalidURL`.
  static func normalized(_ address: String) throws -> (URL, host: String) {
    guard var parts = URLComponents(string: address), let host = parts.encodedHost,
      !host.isEmpty, !host.contains("%")
    else { throw HTTPClientError.invalidURL }
    parts.encodedHost = host.lowercased()
    guard let text = parts.url?.absoluteString, let url = URL(string: text),
      let name = url.host(percentEncoded: false), !name.isEmpty,
      name == url.host(percentEncoded: true),
      // Empty labels are refused: a proxy may drop extra dots at the end, and reach a host whose
      // address was not checked.
      !name.utf8.starts(with: ".".utf8), !name.contains("..")
    else { throw HTTPClientError.invalidURL }
    return (url, name)
  }

  private func fetchHost(
    _ key: HostKey, _ url: URL, _ name: String
  ) async throws -> Host {
    if let known = hosts[key] { return try await known.value }
    let proxy = try ProxySettings(environment: environment).proxy(for: url)
    let mayBePrivate = key.mayBePrivate
    let task = Task { [limits, connectionsPerHost, environment, lookUp] in
      var addresses: [NetworkAddress] = []
      if let literal = HostAddresses.literal(name) {
        addresses = [literal]
      } else if proxy != nil {
        if !mayBePrivate, HostName(name).isPrivate { throw Self.refusal(url, "a private network") }
      } else {
        addresses = try await Timeout.run(seconds: Self.lookUpSeconds) {
          try await lookUp(name, key.origin.port)
        } late: {
          OffersError(
            .sourceFailed, "The host name \(name) could not be resolved in time.",
            hint: "Nothing was changed. Check the network, then sync again.")
        }
      }
      if !mayBePrivate, let first = addresses.first {
        addresses = addresses.filter(\.isPublic)
        if addresses.isEmpty { throw Self.refusal(url, first.text) }
      }
      addresses = Array(addresses.prefix(Self.triedAddresses))
      return Host(
        client: try Self.client(
          limits, connectionsPerHost, environment, proxy, name, addresses.first,
          isEncrypted: key.origin.scheme == "https"),
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

  /// Replaces an unreachable address of a host by the next one.
  private func moveOn(from host: Host, _ key: HostKey, _ name: String) async throws -> Host {
    // Another request may have replaced the address already.
    if let known = hosts[key], case let current = try await known.value,
      current.client !== host.client
    {
      return current
    }
    let rest = Array(host.addresses.dropFirst())
    let next = Host(
      client: try Self.client(
        limits, connectionsPerHost, environment, nil, name, rest.first,
        isEncrypted: key.origin.scheme == "https"), addresses: rest)
    hosts[key] = Task { next }
    retired.append(host.client)
    return next
  }

  private static func client(
    _ limits: FetchLimits, _ connections: Int, _ environment: (String) -> String?, _ proxy: Proxy?,
    _ name: String, _ address: NetworkAddress?, isEncrypted: Bool
  ) throws -> HTTPClient {
    var configuration = HTTPClient.Configuration()
    configuration.redirectConfiguration = .disallow
    configuration.timeout = .init(
      connect: .seconds(min(limits.idleSeconds, 10)), read: .seconds(limits.idleSeconds))
    // The reader decompresses: it knows both variants of “deflate”, and limits the compressed size,
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
    // Certificates are loaded only if they are needed, because parsing the file is slow.
    if isEncrypted {
      configuration.tlsConfiguration = try TrustedCertificates.configuration(environment)
    }
    if let proxy {
      let login = proxy.user.map {
        HTTPClient.Authorization.basic(username: $0, password: proxy.password ?? "")
      }
      configuration.proxy = .server(host: proxy.host, port: proxy.port, authorization: login)
    } else if let address {
      configuration.dnsOverride = [name: address.text]
    }
    return HTTPClient(eventLoopGroupProvider: .shared(eventLoops), configuration: configuration)
  }

  /// The event loop of all connections. One thread is enough, because bodies are processed on
  /// others.
  private static let eventLoops = MultiThreadedEventLoopGroup(numberOfThreads: 1)

  private static func isUnreachable(_ error: any Error) -> Bool {
    if error is IOError || error is ChannelError { return true }
    if error as? HTTPClientError == .connectTimeout { return true }
    return "\(type(of: error))".contains("Connection")
  }

  /// The maximum size of one read of a body.
  private static let pieceBytes = 512 << 10

  private static func refusal(_ url: URL, _ target: String) -> OffersError {
    OffersError(
      .sourceFailed,
      "\(url.absoluteString) leads to \(target), which is not on the public internet.",
      advice: Advice("Nothing was changed. If that is right", .allowPrivateNetwork))
  }
}
