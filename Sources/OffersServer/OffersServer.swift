import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import OffersCore
import OffersPlatform
import ServiceLifecycle

/// The HTTP server of the pages and of the JSON API.
package struct OffersServer: Sendable {
  /// The address that the server listens on, and its host names.
  package struct Address: Hashable, Sendable {
    package let host: String
    package let port: Int
    /// Names that the server answers to besides `host` and the loopback names, with or without a
    /// port.
    package let allowedHosts: [String]

    package init(host: String = "127.0.0.1", port: Int = 8080, allowedHosts: [String] = []) {
      self.host = host
      self.port = port
      self.allowedHosts = allowedHosts
    }

    /// A name by which other machines can reach the server; nil if only this machine can.
    var openName: String? {
      if !Loopback.isHost(host) { return host }
      return allowedHosts.first { !Loopback.isAuthority($0) }
    }
  }

  /// How a server that other machines can reach knows its clients.
  package struct Access: Sendable {
    /// The token that requests must show; nil for none.
    package let token: TokenFile?
    /// Whether browsers reach the server by https only, through a proxy that adds TLS. The cookie of
    /// a session is then sent by https only, and forms are accepted from https pages only.
    package let isBehindTLS: Bool
    /// The proxies whose `X-Forwarded-For` names the client.
    package let proxies: TrustedProxies

    package init(
      token: TokenFile? = nil, isBehindTLS: Bool = false, proxies: TrustedProxies = TrustedProxies()
    ) {
      self.token = token
      self.isBehindTLS = isBehindTLS
      self.proxies = proxies
    }
  }

  /// The time in which responses must end during a shutdown.
  private static let endSeconds = 3

  private let content: ServedContent
  private let address: Address
  private let access: Access
  private let accessLogger: Logger
  private let refreshSeconds: Double?
  private let hosts: AllowedHosts
  private let logger: Logger

  /// - Parameters:
  ///   - content: the dependencies of the pages and of the JSON API.
  ///   - address: where to listen, and the host names to answer to.
  ///   - access: how the server knows its clients. A token is required if the address or an allowed
  ///     name is not loopback, so that other machines can reach the server.
  ///   - refreshSeconds: the interval at which feeds that are due are synced; nil for never.
  ///   - logger: receives the messages of the server and of its scheduled syncs.
  ///   - accessLogger: receives a line for each refused attempt to log in (`RefusalLog`), and
  ///     messages about the token; nil for `logger`.
  /// - Throws: `OffersError` with `invalidRequest` if a token is required and missing.
  package init(
    _ content: ServedContent, address: Address = Address(), access: Access = Access(),
    refreshSeconds: Double? = nil, logger: Logger, accessLogger: Logger? = nil
  ) throws {
    if let name = address.openName, access.token == nil {
      throw OffersError(
        .invalidRequest, "Other machines can reach \(name), which requires a token.",
        hint: "Name a file with a token by --token-file, "
          + (name == address.host ? "or listen on 127.0.0.1." : "or allow no name but localhost."))
    }
    self.content = content
    self.address = address
    self.access = access
    self.accessLogger = accessLogger ?? logger
    self.refreshSeconds = refreshSeconds
    hosts = AllowedHosts(host: address.host, port: address.port, more: address.allowedHosts)
    self.logger = logger
  }

  /// Makes the responder of the server, which tests call without a port.
  func responder() -> ServedResponder {
    let answers = Answers(signal: content.store)
    let router = Router(context: ServedContext.self)
    let gate = access.token.map {
      AccessGate(
        tokens: $0, isBehindTLS: access.isBehindTLS, content: content, logger: accessLogger)
    }
    APIRoutes(content: content, answers: answers, access: gate).add(to: router)
    let pages = PageRoutes(content: content, answers: answers, access: gate)
    pages.add(to: router)
    if let gate { LoginRoutes(access: gate, shell: pages.shell).add(to: router) }
    return ServedResponder(
      answers: answers, hosts: hosts, access: gate, proxies: access.proxies,
      router: router.buildResponder(), routes: RouteList(router), shell: pages.shell)
  }

  /// Runs the server until the process receives SIGTERM or SIGINT. It then stops listening, waits
  /// some seconds for the responses in progress, and cancels a running sync.
  ///
  /// - Parameters:
  ///   - selfCheck: how often the server requests its own health check; nil for never.
  ///   - ready: called with the port once the server listens.
  /// - Throws: `OffersError` with `sourceFailed` if it cannot listen.
  package func run(
    selfCheck: SelfCheckSchedule? = nil,
    ready: @escaping @Sendable (Int) async -> Void = { _ in }
  ) async throws {
    try await run(
      ConnectionDeadlines.Times(), ConnectionTable.Limits(), handlesSignals: true,
      selfCheck: selfCheck, ready: ready)
  }

  func run(
    _ times: ConnectionDeadlines.Times, _ limits: ConnectionTable.Limits, handlesSignals: Bool,
    selfCheck: SelfCheckSchedule? = nil, ready: @escaping @Sendable (Int) async -> Void
  ) async throws {
    let refreshes = refreshSeconds.map {
      RefreshService(jobs: content.jobs, interval: .seconds($0), logger: logger)
    }
    let (addresses, listening) = AsyncStream.makeStream(of: SocketAddress.self)
    let check = selfCheck.map { SelfCheck(schedule: $0, addresses: addresses, logger: logger) }
    let services: [(any Service)?] = [refreshes, check]
    let table = ConnectionTable(limits, proxies: access.proxies)
    let responder = responder()
    let application = Application(
      responder: responder,
      server: .http1(
        configuration: HTTP1Channel.Configuration(
          additionalChannelHandlers: [
            RequestGate(),
            ConnectionDeadlines(times, table: table, requiresToken: access.token != nil),
          ],
          httpDecoderConfiguration: .init(
            maxHeaderFieldSize: 16 << 10, maxHeaderListSize: 32 << 10, maxHeaderFieldCount: 100))),
      configuration: ApplicationConfiguration(
        address: .hostname(address.host, port: address.port), serverName: nil),
      services: services.compactMap(\.self),
      onServerRunning: { [hosts] channel in
        let port = channel.localAddress?.port ?? 0
        hosts.setPort(port)
        if let address = channel.localAddress { listening.yield(address) }
        await ready(port)
      }, logger: logger)
    var configuration = ServiceGroupConfiguration(
      services: [application],
      gracefulShutdownSignals: handlesSignals ? [.sigterm, .sigint] : [], logger: logger)
    configuration.maximumGracefulShutdownDuration = .seconds(Self.endSeconds)
    let result: Result<Void, any Error>
    do {
      try await Self.run(ServiceGroup(configuration: configuration))
      result = .success(())
    } catch is CancellationError {
      // Responses that did not end in time were cancelled.
      result = .success(())
    } catch {
      result = .failure(error)
    }
    await content.jobs.close()
    await responder.access?.close()
    do {
      try result.get()
    } catch let error as IOError {
      throw refusal(
        SystemError(error.errnoCode, "bind").text,
        hint: "Choose another port with --port, or 0 for any free port.", error)
    } catch let error as OffersError {
      throw error
    } catch {
      throw refusal(
        "this machine has no such address", hint: "Choose one of its addresses with --host.", error)
    }
  }

  /// Runs the services, and ends them gracefully when the task is cancelled. A cancellation of the
  /// server itself traps if it has accepted a connection that it has not begun to serve
  /// (https://github.com/apple/swift-nio/issues/3481).
  private static func run(_ services: ServiceGroup) async throws {
    let running = Task { try await services.run() }
    try await withTaskCancellationHandler {
      try await running.value
    } onCancel: {
      Task { await services.triggerGracefulShutdown() }
    }
  }

  private func refusal(_ reason: String, hint: String, _ error: any Error) -> OffersError {
    OffersError(
      .sourceFailed, "Could not listen on \(address.host), port \(address.port): \(reason).",
      hint: hint, cause: "\(error)")
  }
}
