import ArgumentParser
import Foundation
import Glibc
import OffersCore
import OffersFeeds
import OffersHTTP
import OffersPlatform
import OffersServer
import OffersStore
import OffersSync

struct ServeCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "serve",
    abstract: "Serve a local web page and a JSON API.",
    usage: "offers serve [<options>]",
    discussion: """
      Serves the offers of the database until it is interrupted; cron and the other commands can \
      run at the same time. Only this machine can reach it. For others, set an address with \
      --host, or the name of a proxy with --allow-host.

      People log in as users of the database ("offers user"), by a name and a passphrase or by a \
      code from a browser that is logged in; programs use tokens ("offers token"). A server that \
      only this machine can reach requires no login while the owner is the only user. A secret in \
      a file, with --token-file, logs in as the owner. With --oidc-issuer people also log in at an \
      OpenID provider, once each has connected that login in the settings.

      The server speaks plain HTTP, or TLS with --tls-cert and --tls-key; renewed files take effect \
      without a restart. With --behind-tls it relies on you that browsers reach it through a proxy \
      that adds TLS, and only so: it sends the cookie of a login by https only, and accepts forms \
      of https pages only. It trusts no header for that. The addresses of clients are those of the \
      connections, unless a --trusted-proxy names others. With --base-path the pages work below a \
      path of the proxy's host, whether the proxy passes the path on or takes it off.

      On a terminal, a server that phones can reach prints a QR code, with which a phone logs in \
      as the owner, once within ten minutes; "Connect a phone" in the settings makes others.

      EXAMPLES
        offers serve                       then open http://127.0.0.1:8080
        offers serve --open --refresh 15m
        offers user passphrase
        offers serve --host 0.0.0.0
        offers serve --tls-cert cert.pem --tls-key key.pem
      """)

  @Option(parsing: .unconditional, help: "The port to listen on (0 for any free port).")
  var port = 8080

  @Option(help: "The address to listen on.") var host = "127.0.0.1"

  @Option(
    help: .value(
      "name",
      "Another host name for requests, on any port unless one is given (repeatable); any but localhost requires a login."
    ))
  var allowHost: [String] = []

  @Option(help: .value("path", "The path below which a proxy serves the pages, such as /offers."))
  var basePath: String?

  @Option(
    help: .value("file", "A file that only you can read, with a secret that logs in as the owner."))
  var tokenFile: String?

  @Option(
    help: .value(
      "file", "Speak TLS with the certificate in this file (PEM), followed by intermediate ones."),
    completion: .file())
  var tlsCert: String?

  @Option(help: .value("file", "The private key of the certificate (PEM)."), completion: .file())
  var tlsKey: String?

  @Flag(help: "Browsers reach the server by https only, through a proxy that adds TLS.")
  var behindTls = false

  @Option(
    help: .value(
      "network",
      "A proxy whose X-Forwarded-For names the client: an address or a network (repeatable)."))
  var trustedProxy: [String] = []

  @Option(
    help: .value("field", "A field in which a trusted proxy that logs people in names the user."))
  var authHeader: String?

  @OptionGroup var openID: OpenIDOptions

  @Option(
    help: .value(
      "url",
      "The server of map tiles of which people may choose streets: a URL with {z}, {x} and {y}, or none. The default is openstreetmap.org."
    ))
  var mapTiles: String?

  @Option(help: .value("text", "The notice that the map tiles' provider asks for."))
  var mapAttribution: String?

  @Option(
    parsing: .unconditional, help: .value("time", "Sync the feeds that are due, at this interval."))
  var refresh: String?

  @Flag(help: "Open the page in the browser.") var open = false
  @Flag(help: "Print one JSON document with the URL, once it listens.") var json = false

  @Flag(help: "Log each request: who, from where, the path, the status and the time.")
  var accessLog = false

  @OptionGroup var location: DatabaseOptions
  @OptionGroup var configuration: ConfigurationOptions
  @OptionGroup var network: NetworkOptions
  @OptionGroup var logging: LogOptions

  /// The wanted limit of open files. Each connection of a client counts as one.
  private static let fileCount: rlim_t = 4096

  func validate() throws {
    if !(0...65_535).contains(port) { throw ValidationError("--port must be 0 to 65535.") }
    if host.isEmpty { throw ValidationError("--host requires an address.") }
    if !allowHost.allSatisfy(ServerAddress.isName) {
      throw ValidationError(
        "--allow-host requires a name, such as offers.local or offers.local:8443.")
    }
    if (tlsCert == nil) != (tlsKey == nil) {
      throw ValidationError("--tls-cert and --tls-key go together: give both or neither.")
    }
  }

  func run() async throws {
    let interval = try refresh.map { try PeriodStart.seconds(parsing: $0) }
    if let interval, interval < 60 {
      throw OffersError(.invalidRequest, "--refresh must be at least 1m.")
    }
    let below = try basePath.map { try BasePath($0) } ?? BasePath()
    let proxies = try TrustedProxies(trustedProxy)
    if authHeader != nil, trustedProxy.isEmpty {
      throw OffersError(
        .invalidRequest, "--auth-header has no use without a trusted proxy: anybody could send it.",
        hint: "Give the address of the proxy by --trusted-proxy.")
    }
    let userHeader = try authHeader.map { try UserHeader($0) }
    if mapAttribution != nil, mapTiles == nil || mapTiles == "none" {
      throw OffersError(
        .invalidRequest, "--map-attribution has no use without map tiles.",
        hint: "Name a server of tiles by --map-tiles.")
    }
    let tiles =
      switch mapTiles {
      case nil: MapTiles.openStreetMap
      case "none": MapTiles?.none
      case let template?: try MapTiles(template, attribution: mapAttribution)
      }
    let token = try tokenFile.map { try TokenFile($0) }
    let certificate = try tlsCert.flatMap { path in
      try tlsKey.map { try ServerCertificate(certificate: path, key: $0) }
    }
    let path = try configuration.path
    let allowsPrivateNetwork = network.allowsPrivateNetwork(try path.load())
    let connections = HTTPConnections(
      connectionsPerHost: 2, environment: ProcessContext.findVariable)
    let provider = try openID.settings(
      transport: connections, allowsPrivateNetwork: allowsPrivateNetwork)
    let database = try await location.open(.readWrite)
    // A service has no terminal, but a log.
    if !Terminal.isError {
      DatabaseOptions.tellForeignSchema(database.maintenance?.foreignSchema ?? [])
    }
    let loader = ImageLoader(
      images: database, allowsPrivateNetwork: allowsPrivateNetwork,
      environment: ProcessContext.findVariable, scaler: PictureScaler(),
      logger: logging.log.logger)
    let notices = ServedNotices(database: database, log: logging.log)
    let feeds = ServedFeeds(
      database: database, configurationPath: path, allowsPrivateNetwork: allowsPrivateNetwork,
      log: logging.log, afterSync: { notices.wake() })
    let content = ServerDependencies(
      store: database, syncer: feeds, adder: feeds,
      images: loader, texts: FilterTextParser(),
      push: PushChannels { try await NoticeServices.delivery(for: database) },
      maps: MapSettings(tiles: tiles),
      framing: FramingCheck(
        transport: connections, allowsPrivateNetwork: allowsPrivateNetwork
      ).refusesFrame)
    let server = OffersServer(
      content,
      address: ServerAddress(
        host: host, port: port, allowedHosts: allowHost, localName: MulticastName.find(),
        basePath: below),
      access: ServerAccess(
        token: token, certificate: certificate, isBehindTLS: behindTls, proxies: proxies,
        userHeader: userHeader, openID: provider),
      refreshSeconds: interval, logger: logging.log.logger,
      accessLogger: logging.log.accessLogger, logsRequests: accessLog)
    try await server.checkLogins()
    Self.raiseFileLimit()
    let manager = ServiceManager(ProcessContext.environment)
    // A check that times out ends 2 of these intervals after the one before. So two checks in a row
    // must fail before systemd restarts the server.
    let check = manager?.watchdogSeconds.map { seconds in
      SelfCheckSchedule(seconds: seconds / 6) { manager?.reportWorking() }
    }
    let delivering = Task { await notices.run() }
    let result: Result<Void, any Error>
    do {
      try await server.run(selfCheck: check) { port in
        await announce(server, of: database, port: port, below: below)
        manager?.reportReady()
      }
      manager?.reportStopping()
      result = .success(())
    } catch {
      result = .failure(error)
    }
    delivering.cancel()
    await delivering.value
    await loader.close()
    await connections.close()
    try await database.close()
    try result.get()
  }

  private func announce(
    _ server: OffersServer, of database: OffersDatabase, port: Int, below path: BasePath
  ) async {
    // A browser cannot open a wildcard address, so the URL has the loopback address instead.
    let isAnywhere = host == "0.0.0.0" || host == "::"
    let name = isAnywhere ? "127.0.0.1" : host.contains(":") ? "[\(host)]" : host
    let url = (tlsCert == nil ? "http" : "https") + "://\(name):\(port)\(path.text)"
    if json {
      do {
        try Output.print(.json(["url": url]))
      } catch {
        // The server runs even if nobody reads its address.
        Output.note("offers: The address could not be printed.")
      }
    } else {
      let urls = server.fetchReachableURLs(port: port)
      var invitation: PhoneInvitation?
      // A log is no place for a code.
      if Terminal.isError, !ProcessContext.current.logsJSON, let url = urls.first {
        // The server runs even if no invitation can be made.
        invitation = try? await server.makeInvitation(to: url)
      }
      // The name is missing only if the database is damaged, which the server's answers tell.
      let owner = (try? await database.fetchOwner().name) ?? "the owner"
      Output.note(
        ServeGreeting(url: url, urls: urls, invitation: invitation, owner: owner).text(
          width: Terminal.errorWidth,
          style: Style(.auto, isTerminal: Terminal.isError, ProcessContext.variable)),
        .notice, [("url", url)])
    }
    guard open, let link = WebLink(url) else { return }
    // A thread waits for the browser, which may run until its window is closed.
    let browser = Browser(ProcessContext.environment)
    let context = ProcessContext.current
    Thread.detachNewThread {
      if !browser.open(link) {
        ProcessContext.$current.withValue(context) {
          Output.note("No browser could be started. Open the address yourself.")
        }
      }
    }
  }

  /// Raises the soft limit of open files to `fileCount`, or to the hard limit if that is lower. The
  /// usual 1024 is too low for the maximum number of connections.
  private static func raiseFileLimit() {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0,
      limit.rlim_cur < fileCount
    else { return }
    limit.rlim_cur = min(fileCount, limit.rlim_max)
    setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
  }
}

/// The server and the sync do not know each other. The program lets the server ask sites by the
/// requests of the sync.
/// The options of `offers serve` about an OpenID provider.
struct OpenIDOptions: ParsableArguments {
  @Option(
    help: .value("url", "An OpenID provider at which people log in: its issuer, an https URL."))
  var oidcIssuer: String?

  @Option(help: .value("id", "The id under which it knows this server.")) var oidcClientId: String?

  @Option(
    help: .value("file", "A file that only you can read, with the secret for that id."),
    completion: .file())
  var oidcClientSecretFile: String?

  func validate() throws {
    if (oidcIssuer == nil) != (oidcClientId == nil) {
      throw ValidationError("--oidc-issuer and --oidc-client-id go together.")
    }
    if oidcClientSecretFile != nil, oidcIssuer == nil {
      throw ValidationError("--oidc-client-secret-file has no use without --oidc-issuer.")
    }
  }

  /// The provider and this server's registration at it; nil without these options.
  ///
  /// - Parameter allowsPrivateNetwork: whether the provider may name further servers in private networks.
  func settings(
    transport: any HTTPTransport, allowsPrivateNetwork: Bool
  ) throws -> OpenIDSettings? {
    guard let oidcIssuer, let oidcClientId else { return nil }
    return try OpenIDSettings(
      issuer: oidcIssuer, clientID: oidcClientId, secretFile: oidcClientSecretFile,
      transport: try HTTPOpenIDTransport(
        transport: transport, issuer: oidcIssuer, allowsPrivateNetwork: allowsPrivateNetwork))
  }
}

/// The lines that `offers serve` prints once it listens: its addresses, and on a terminal a QR code
/// with which a phone logs in.
struct ServeGreeting {
  let url: String
  /// The URLs for other devices, the best one first.
  let urls: [String]
  /// The server's URL and a pairing code for a phone; nil unless standard error is a terminal, so
  /// that no pairing code is written to a log.
  let invitation: PhoneInvitation?
  /// The name of the owner, whom the code logs in.
  let owner: String

  /// The text, without a line end.
  ///
  /// - Parameters:
  ///   - width: the width of the terminal. A wider QR code is left out.
  ///   - style: the colors. Without them a QR code is left out, because it could not be told from its
  ///     negative.
  func text(width: Int, style: Style) -> PrintedText {
    var lines: [PrintedText] = ["Serving at \(DisplayText.oneLine(url))"]
    let others = urls.filter { $0 != url }
    if !others.isEmpty {
      lines.append("Other devices reach it at")
      lines += others.map { "  \(DisplayText.oneLine($0))" }
    }
    guard let invitation else { return lines.joined(separator: "\n") }
    let code = style.bold(invitation.code)
    let page = DisplayText.oneLine(invitation.page)
    let connects = "To log a phone in as \(DisplayText.oneLine(owner)) (admin)"
    lines.append("")
    if let drawing = invitation.qrCode, style.isOn, drawing.width <= min(width, 80) {
      lines += drawing.blockLines.map(style.blackOnWhite)
      lines += ["", "\(connects), scan this with its camera,", "or open there", "  \(page)"]
    } else {
      lines += ["\(connects), open there", "  \(page)"]
    }
    lines.append("and type \(code). The code works once, within ten minutes.")
    return lines.joined(separator: "\n")
  }
}

/// The service manager that started this process and wants to know its state, such as systemd for a
/// unit with `Type=notify`.
struct ServiceManager: Sendable {
  private let socket: NotifySocket
  /// The interval in which the process must report that it works, or else it is restarted; nil if it
  /// need not.
  let watchdogSeconds: Double?

  /// - Parameters:
  ///   - environment: the variables `NOTIFY_SOCKET`, `WATCHDOG_USEC` and `WATCHDOG_PID`.
  ///   - process: the id of this process. A watchdog that is meant for another process is ignored.
  /// - Returns: nil if there is no service manager.
  init?(_ environment: [String: String], process: pid_t = getpid()) {
    guard let socket = environment["NOTIFY_SOCKET"].flatMap(NotifySocket.init) else { return nil }
    self.socket = socket
    let isOther = environment["WATCHDOG_PID"].map { $0 != String(process) } ?? false
    let microseconds = isOther ? nil : environment["WATCHDOG_USEC"].flatMap { Double($0) }
    watchdogSeconds = microseconds.flatMap { $0 >= 1 ? $0 / 1_000_000 : nil }
  }

  func reportReady() { report("READY=1") }

  func reportWorking() { report("WATCHDOG=1") }

  func reportStopping() { report("STOPPING=1") }

  private func report(_ state: String) {
    do {
      try socket.send(state)
    } catch {
      // The service manager treats a missing report as a failure; the log then has the reason.
      Output.note("offers: The service manager could not be reached: \(error)")
    }
  }
}
