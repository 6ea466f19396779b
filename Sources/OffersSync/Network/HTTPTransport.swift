import AsyncHTTPClient
import Foundation
import NIOCore
import NIOPosix
import OffersCore

/// Carries a request to a server and brings back what it answers.
protocol HTTPTransport: Sendable {
  /// - Parameters:
  ///   - mayBePrivate: whether the server may stand in a private network; see `NetworkAddress`.
  ///   - timeoutSeconds: how long the head of the answer may take.
  /// - Throws: `OffersError` for an address that may not be asked, and whatever happens on the way.
  func execute(
    _ request: HTTPClientRequest, mayBePrivate: Bool, timeoutSeconds: Double
  ) async throws -> HTTPClientResponse
}

/// Connections to servers: one a host, kept for the next request, to addresses that were looked at
/// before.
///
/// A host's name is looked up once, and the connection goes to the very address that was checked:
/// a name that means another address a moment later gains nothing. A proxy looks up names itself;
/// then only an address in the place of a name can be checked, and a name that is reserved for own
/// machines and networks.
actor HTTPConnections: HTTPTransport {
  private let limits: FetchLimits
  private let environment: @Sendable (String) -> String?
  private let connectionsPerHost: Int
  private let lookUp: LookUp
  private var hosts: [Place: Task<Host, any Error>] = [:]
  /// Clients of addresses that were given up, which other requests may still wait for.
  private var retired: [HTTPClient] = []

  /// Finds the addresses of a name, in the order of preference.
  typealias LookUp = @Sendable (_ name: String, _ port: Int) async throws -> [NetworkAddress]

  /// A server, by how it is asked. One that may be private has connections of its own: the others
  /// shall neither use them nor be refused for it.
  private struct Place: Hashable, Sendable {
    let origin: HTTPOrigin
    let mayBePrivate: Bool
  }

  private struct Host: Sendable {
    /// The client that connects to `addresses[0]`; by way of a proxy, which has its own way to look
    /// up names, there are none.
    let client: HTTPClient
    let addresses: [NetworkAddress]
  }

  /// How long looking up a name may take.
  private static let lookUpSeconds = 20.0
  /// How many of a host's addresses are tried.
  private static let triedAddresses = 4

  /// - Parameters:
  ///   - connectionsPerHost: how many requests to one host may be under way.
  ///   - environment: finds the variables that name a proxy and a file of certificates.
  ///   - lookUp: finds the addresses of names that are none themselves.
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

  /// Begins to close all connections, once nothing is under way any more.
  func close() async {
    for (_, host) in hosts {
      // A host that was never reached has no connection, and closing loses nothing.
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
    // In one spelling, because the client looks up whatever it does not find by its very letters.
    let (url, name) = try Self.normalized(request.url)
    var request = request
    request.url = url.absoluteString
    let place = Place(origin: HTTPOrigin(url), mayBePrivate: mayBePrivate)
    var host = try await fetchHost(place, url, name)
    while true {
      // Each address that is connected to is looked at here, whatever chose it.
      if !mayBePrivate, let address = host.addresses.first, !address.isPublic {
        throw Self.refusal(url, address.text)
      }
      do {
        return try await host.client.execute(
          request, timeout: .milliseconds(Int64(timeoutSeconds * 1000)))
      } catch  where host.addresses.count > 1 && Self.isUnreachable(error) {
        host = try await moveOn(from: host, place, name)
      }
    }
  }

  /// The address with its host in lower case and ASCII, and the host as the client reads it there: by
  /// this name it is told what to connect to, and would look up any other itself.
  static func normalized(_ address: String) throws -> (URL, host: String) {
    guard var parts = URLComponents(string: address), let host = parts.encodedHost,
      !host.isEmpty, !host.contains("%")
    else { throw HTTPClientError.invalidURL }
    parts.encodedHost = host.lowercased()
    guard let text = parts.url?.absoluteString, let url = URL(string: text),
      let name = url.host(percentEncoded: false), !name.isEmpty,
      name == url.host(percentEncoded: true),
      // A proxy may drop several dots at the end, and reach an address that was not checked.
      !name.utf8.starts(with: ".".utf8), !name.contains("..")
    else { throw HTTPClientError.invalidURL }
    return (url, name)
  }

  private func fetchHost(
    _ place: Place, _ url: URL, _ name: String
  ) async throws -> Host {
    if let known = hosts[place] { return try await known.value }
    let proxy = try ProxySettings(environment: environment).proxy(for: url)
    let mayBePrivate = place.mayBePrivate
    let task = Task { [limits, connectionsPerHost, environment, lookUp] in
      var addresses: [NetworkAddress] = []
      if let literal = HostAddresses.literal(name) {
        addresses = [literal]
      } else if proxy != nil {
        if !mayBePrivate, HostName(name).isPrivate { throw Self.refusal(url, "a private network") }
      } else {
        addresses = try await Timeout.run(seconds: Self.lookUpSeconds) {
          try await lookUp(name, place.origin.port)
        } late: {
          OffersError(
            .sourceFailed, "The host \(name) could not be looked up in time.",
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
          isEncrypted: place.origin.scheme == "https"),
        addresses: addresses)
    }
    hosts[place] = task
    do {
      return try await task.value
    } catch {
      hosts[place] = nil
      throw error
    }
  }

  /// Goes on to the host's next address.
  private func moveOn(from host: Host, _ place: Place, _ name: String) async throws -> Host {
    // Another request may have gone on already.
    if let known = hosts[place], case let current = try await known.value,
      current.client !== host.client
    {
      return current
    }
    let rest = Array(host.addresses.dropFirst())
    let next = Host(
      client: try Self.client(
        limits, connectionsPerHost, environment, nil, name, rest.first,
        isEncrypted: place.origin.scheme == "https"), addresses: rest)
    hosts[place] = Task { next }
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
    // Unpacked by the reader, which knows both kinds of “deflate” and counts what goes in, too.
    configuration.decompression = .disabled
    configuration.httpVersion = .http1Only
    configuration.tracing.tracer = nil
    configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = connections
    configuration.connectionPool.retryConnectionEstablishment = false
    // Each piece of a body goes from thread to thread: the fewer, the better.
    configuration.http1_1ConnectionDebugInitializer = { channel in
      channel.setOption(
        .recvAllocator,
        value: AdaptiveRecvByteBufferAllocator(
          minimum: 1024, initial: 16_384, maximum: pieceBytes))
    }
    // A file of certificates takes longer to read than most feeds.
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

  /// One thread carries the bytes of all servers; what is done with them is done on others.
  private static let eventLoops = MultiThreadedEventLoopGroup(numberOfThreads: 1)

  private static func isUnreachable(_ error: any Error) -> Bool {
    if error is IOError || error is ChannelError { return true }
    if error as? HTTPClientError == .connectTimeout { return true }
    return "\(type(of: error))".contains("Connection")
  }

  /// The most of a body that is read at a time.
  private static let pieceBytes = 512 << 10

  /// What to do about an address that is refused.
  static let privateHint = "Nothing was changed. If that is right, add --allow-private-network."

  private static func refusal(_ url: URL, _ target: String) -> OffersError {
    OffersError(
      .sourceFailed,
      "\(url.absoluteString) leads to \(target), which is not on the public internet.",
      hint: privateHint)
  }
}
