import Glibc
import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import OffersCore
import ServiceLifecycle

/// An HTTP server of the pages and of the JSON API.
package struct OffersServer: Sendable {
  /// Where it listens, and by which names it is asked.
  package struct Address: Hashable, Sendable {
    package let host: String
    package let port: Int
    /// Names beside the host and those of loopback, with a port or without.
    package let allowedHosts: [String]

    package init(host: String = "127.0.0.1", port: Int = 8080, allowedHosts: [String] = []) {
      self.host = host
      self.port = port
      self.allowedHosts = allowedHosts
    }

    /// Whether only this machine can ask.
    var openName: String? {
      if !Loopback.isHost(host) { return host }
      return allowedHosts.first { !Loopback.isAuthority($0) }
    }
  }

  /// How long answers that are under way may take once the server is to end.
  private static let endSeconds = 3

  private let content: ServedContent
  private let address: Address
  private let token: AccessToken?
  private let refreshSeconds: Double?
  private let hosts: AllowedHosts
  private let logger: Logger

  /// - Parameters:
  ///   - token: what requests must show; needed where the address or an allowed name is not
  ///     loopback's, so that other machines can ask.
  ///   - refreshSeconds: how often what is due is synced; nil for never.
  /// - Throws: `OffersError` with `invalidRequest` where a token is needed and missing.
  package init(
    _ content: ServedContent, address: Address = Address(), token: AccessToken? = nil,
    refreshSeconds: Double? = nil, logger: Logger
  ) throws {
    if let name = address.openName, token == nil {
      throw OffersError(
        .invalidRequest, "\(name) lets other machines ask; that needs a token.",
        hint: "Name a file that holds one with --token-file, "
          + (name == address.host ? "or listen at 127.0.0.1." : "or allow no name but localhost."))
    }
    self.content = content
    self.address = address
    self.token = token
    self.refreshSeconds = refreshSeconds
    hosts = AllowedHosts(host: address.host, port: address.port, more: address.allowedHosts)
    self.logger = logger
  }

  /// The responder of the server, which tests use without a port.
  func responder() -> ServedResponder {
    let answers = Answers(signal: content.store)
    let router = Router()
    APIRoutes(content: content, answers: answers).add(to: router)
    let pages = PageRoutes(content: content, answers: answers, hasLogin: token != nil)
    pages.add(to: router)
    if let token { LoginRoutes(token: token).add(to: router) }
    return ServedResponder(
      answers: answers, hosts: hosts, token: token, router: router.buildResponder(),
      routes: RouteList(router), shell: pages.shell)
  }

  /// Runs the server until the process receives SIGTERM or SIGINT. It then stops listening, and waits
  /// some seconds for the responses under way.
  ///
  /// - Parameter ready: called with the port once the server listens.
  /// - Throws: `OffersError` where it cannot listen.
  package func run(ready: @escaping @Sendable (Int) async -> Void = { _ in }) async throws {
    try await run(
      ConnectionLimits.Times(), ConnectionTable.Limits(), handlesSignals: true, ready: ready)
  }

  func run(
    _ times: ConnectionLimits.Times, _ limits: ConnectionTable.Limits, handlesSignals: Bool,
    ready: @escaping @Sendable (Int) async -> Void
  ) async throws {
    let refreshes = refreshSeconds.map {
      RefreshService(jobs: content.jobs, interval: .seconds($0), logger: logger)
    }
    let table = ConnectionTable(limits)
    let application = Application(
      responder: responder(),
      server: .http1(
        configuration: HTTP1Channel.Configuration(
          additionalChannelHandlers: [
            RequestGate(), ConnectionLimits(times, table: table, token: token),
          ],
          httpDecoderConfiguration: .init(
            maxHeaderFieldSize: 16 << 10, maxHeaderListSize: 32 << 10, maxHeaderFieldCount: 100))),
      configuration: ApplicationConfiguration(
        address: .hostname(address.host, port: address.port), serverName: nil),
      services: refreshes.map { [$0] } ?? [],
      onServerRunning: { [hosts] channel in
        let port = channel.localAddress?.port ?? 0
        hosts.setPort(port)
        await ready(port)
      }, logger: logger)
    var configuration = ServiceGroupConfiguration(
      services: [application],
      gracefulShutdownSignals: handlesSignals ? [.sigterm, .sigint] : [], logger: logger)
    configuration.maximumGracefulShutdownDuration = .seconds(Self.endSeconds)
    let result: Result<Void, any Error>
    do {
      try await ServiceGroup(configuration: configuration).run()
      result = .success(())
    } catch is CancellationError {
      // Responses that did not end in time were cancelled.
      result = .success(())
    } catch {
      result = .failure(error)
    }
    await content.jobs.close()
    do {
      try result.get()
    } catch let error as IOError {
      throw refusal(
        String(cString: strerror(error.errnoCode)),
        hint: "Choose another port with --port, or 0 for any free port.", error)
    } catch let error as OffersError {
      throw error
    } catch {
      throw refusal(
        "this machine has no such address", hint: "Choose one of its addresses with --host.", error)
    }
  }

  private func refusal(_ reason: String, hint: String, _ error: any Error) -> OffersError {
    OffersError(
      .sourceFailed, "Could not listen on \(address.host), port \(address.port): \(reason).",
      hint: hint, cause: "\(error)")
  }
}
