import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import OffersCore
import OffersPlatform
import ServiceLifecycle

/// The HTTP server of the pages and of the JSON API.
package struct OffersServer: Sendable {
  /// The time in which responses must end during a shutdown.
  private static let endSeconds = 3

  private let content: ServerDependencies
  private let address: ServerAddress
  private let access: ServerAccess
  private let accessLogger: Logger
  private let refreshSeconds: Double?
  private let hosts: AllowedHosts
  private let port: ListeningPort
  private let pairings = PairingCodes()
  private let logsRequests: Bool
  private let logger: Logger

  /// - Parameters:
  ///   - refreshSeconds: the interval at which feeds that are due are synced; nil for never.
  ///   - accessLogger: receives a line for each refused attempt to log in (`LoginRefusalLog`) and for each
  ///     change of logins, users and feeds (`RequestLog`), and messages about the token and the database;
  ///     nil for `logger`.
  package init(
    _ content: ServerDependencies, address: ServerAddress = ServerAddress(),
    access: ServerAccess = ServerAccess(), refreshSeconds: Double? = nil, logger: Logger,
    accessLogger: Logger? = nil, logsRequests: Bool = false
  ) {
    self.content = content
    self.address = address
    self.access = access
    self.accessLogger = accessLogger ?? logger
    self.refreshSeconds = refreshSeconds
    hosts = AllowedHosts(address)
    port = ListeningPort(address.port)
    self.logsRequests = logsRequests
    self.logger = logger
  }

  /// Checks that somebody can log in, if other machines can reach the server.
  ///
  /// - Throws: `OffersError` with `invalidRequest` if there is no token file and no proxy that logs
  ///   people in, and no admin has a passphrase, an API token or a login at the OpenID provider.
  package func checkLogins() async throws {
    guard let name = address.openName, access.token == nil, access.userHeader == nil else { return }
    let users = try await UserList(content.store).fetch()
    let admins = Set(users.all.filter { $0.role == .admin }.map(\.id))
    if !admins.isDisjoint(with: users.withPassphrase) { return }
    if try await content.store.fetchTokens(of: nil).contains(where: { admins.contains($0.user) }) {
      return
    }
    if let issuer = access.openID?.issuer,
      try await !admins.isDisjoint(with: content.store.fetchUsers(withIdentityOf: issuer))
    {
      return
    }
    throw OffersError(
      .invalidRequest, "Other machines can reach \(name), but nobody could log in.",
      hint:
        "Set a passphrase first: offers user passphrase \(ShellQuoting.word(users.owner.name)). "
        + (name == address.host ? "Or listen on 127.0.0.1." : "Or allow no name but localhost."))
  }

  /// Makes the responder of the server, which tests call without a port.
  func responder() -> ServedResponder {
    let answers = Answers(store: content.store)
    let router = Router(context: ServedContext.self)
    // It comes first, because middleware applies to the routes that are added after it.
    router.add(middleware: RouteRights())
    let gate = VisitorAuthentication(
      access, basePath: address.basePath, pairings: pairings,
      isOpenToOthers: address.openName != nil, content: content,
      logger: accessLogger)
    let outage = StoreOutage(accessLogger)
    APIRoutes(
      content: content, answers: answers, access: gate, outage: outage,
      basePath: address.basePath
    ).add(to: router)
    let pages = PageRoutes(
      content: content, answers: answers, access: gate, basePath: address.basePath)
    pages.add(to: router)
    FeedAddressRoutes(
      content: content, answers: answers, access: gate, basePath: address.basePath
    ).add(to: router)
    LoginRoutes(access: gate, shell: pages.shell).add(to: router)
    AccountRoutes(access: gate, shell: pages.shell).add(to: router)
    UserRoutes(access: gate, shell: pages.shell).add(to: router)
    OpenIDRoutes(access: gate, shell: pages.shell, logger: accessLogger).add(to: router)
    PairingRoutes(access: gate, shell: pages.shell, urls: urls, port: port).add(to: router)
    return ServedResponder(
      answers: answers, hosts: hosts, access: gate,
      router: router.buildResponder(), routes: RouteList(router), shell: pages.shell,
      outage: outage,
      log: RequestLog(logger: accessLogger, tellsAll: logsRequests, access: gate))
  }

  private var urls: ReachableURLs {
    ReachableURLs(
      address: address, usesTLS: access.certificate != nil, isBehindTLS: access.isBehindTLS)
  }

  /// The URLs by which other devices can reach the server, the best one first; none if only this
  /// machine can.
  package func fetchReachableURLs(port: Int) -> [String] { urls.all(port: port) }

  /// Makes an invitation for a phone: a URL with a pairing code.
  ///
  /// - Parameter url: a URL of the server, such as one of `fetchReachableURLs`.
  /// - Returns: an invitation of the owner; nil if the token file cannot be used now.
  package func makeInvitation(to url: String) async throws -> PhoneInvitation? {
    let now = content.now()
    let owner = try await UserList(content.store).fetch().owner
    var proof = Visitor.Proof.terminal
    if let tokens = access.token {
      guard let version = tokens.current(now: now, logger: accessLogger) else { return nil }
      proof = .tokenFile(version: version.number)
    }
    let code = try pairings.make(for: owner.id, by: Visitor(owner, proof), now: now)
    return PhoneInvitation(server: url, code: code)
  }

  /// Runs the server until the process receives SIGTERM or SIGINT, or the database belongs to a newer
  /// program (`SchemaWatch`). It then stops listening, waits some seconds for the responses in progress,
  /// and cancels a running sync.
  ///
  /// - Parameter selfCheck: how often the server requests its own health check; nil for never.
  /// - Throws: `OffersError`: `sourceFailed` if it cannot listen, `newerDatabase`.
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
    selfCheck: SelfCheckSchedule? = nil, schemaInterval: Duration = .seconds(2),
    ready: @escaping @Sendable (Int) async -> Void
  ) async throws {
    let refreshes = refreshSeconds.map {
      RefreshService(jobs: content.jobs, interval: .seconds($0), logger: logger)
    }
    let (addresses, listening) = AsyncStream.makeStream(of: SocketAddress.self)
    let check = try selfCheck.map {
      SelfCheck(
        schedule: $0, addresses: addresses,
        context: access.certificate == nil ? nil : try SelfCheck.makeContext(), logger: logger)
    }
    let table = ConnectionTable(limits, proxies: access.proxies)
    let responder = responder()
    let services: [(any Service)?] = [refreshes, check]
    let http = HTTP1Channel.Configuration(
      additionalChannelHandlers: [ConnectionDeadlines(times, table: table)],
      idleTimeout: times.idle,
      httpDecoderConfiguration: .init(
        maxHeaderFieldSize: 16 << 10, maxHeaderListSize: 32 << 10, maxHeaderFieldCount: 100))
    let application = Application(
      responder: responder,
      server: HTTPServerBuilder { [certificate = access.certificate] responder in
        ServedConnection(
          base: HTTP1Channel(responder: responder, configuration: http), certificate: certificate)
      },
      configuration: ApplicationConfiguration(
        address: .hostname(address.host, port: address.port), serverName: nil),
      services: services.compactMap(\.self),
      onServerRunning: { [port] channel in
        port.set(channel.localAddress?.port ?? 0)
        if let address = channel.localAddress { listening.yield(address) }
        await ready(port.value)
      }, logger: logger)
    var configuration = ServiceGroupConfiguration(
      services: [
        ServiceGroupConfiguration.ServiceConfiguration(service: application),
        ServiceGroupConfiguration.ServiceConfiguration(
          service: SchemaWatch(
            store: content.store, logger: accessLogger, interval: schemaInterval),
          failureTerminationBehavior: .gracefullyShutdownGroup),
      ],
      gracefulShutdownSignals: handlesSignals ? [.sigterm, .sigint] : [], logger: logger)
    configuration.maximumGracefulShutdownDuration = .seconds(Self.endSeconds)
    let result: Result<Void, any Error>
    do {
      try await Self.run(ServiceGroup(configuration: configuration))
      result = .success(())
    } catch let error where error.isCancellation {
      // Responses that did not end in time were cancelled.
      result = .success(())
    } catch {
      result = .failure(error)
    }
    await content.jobs.close()
    await content.searchPreparation.close()
    await responder.access.close()
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

/// The routes of a router, to tell which methods a path accepts.
struct RouteList: Sendable {
  private struct Route {
    let segments: [String]
    let method: HTTPRequest.Method

    func matches(_ path: [Substring]) -> Bool {
      for (index, segment) in segments.enumerated() {
        if segment == "**" { return path.count > index }
        guard index < path.count else { return false }
        if !segment.hasPrefix("{"), !segment.hasPrefix(":"), segment != "*",
          segment != path[index]
        {
          return false
        }
      }
      return segments.count == path.count
    }
  }

  private let routes: [Route]

  init(_ router: Router<ServedContext>) {
    routes = router.routes.map {
      Route(
        segments: $0.path.description.split(scalar: "/").map(String.init), method: $0.method)
    }
  }

  /// Each route as its method and its path template, such as `GET /api/v1/offers/{ref}`, sorted.
  var names: [String] {
    routes.map { "\($0.method.rawValue) /" + $0.segments.joined(separator: "/") }.sorted()
  }

  /// Whether there is a route for a path, with any method.
  func contains(_ path: Substring) -> Bool {
    let segments = path.split(scalar: "/")
    return routes.contains { $0.matches(segments) }
  }

  /// Checks that the path of a request accepts its method. An unknown path passes, since the router
  /// answers it with 404.
  ///
  /// - Throws: `Problem` with status 405 and an `Allow` field that lists the methods of the path.
  func check(_ request: Request) throws {
    let path = request.uri.path.split(scalar: "/")
    var methods = routes.filter { $0.matches(path) }.map(\.method)
    if methods.isEmpty || methods.contains(request.method) { return }
    if methods.contains(.get) { methods.append(.head) }
    var problem = Problem(
      .methodNotAllowed, "This address does not accept the method of the request.")
    problem.headers[.allow] = methods.map(\.rawValue).sorted().joined(separator: ", ")
    throw problem
  }
}
