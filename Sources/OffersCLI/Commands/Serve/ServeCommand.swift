import ArgumentParser
import Foundation
import OffersCore
import OffersFeeds
import OffersSQLite
import OffersServer
import OffersSync

/// `offers serve`
struct ServeCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "serve",
    abstract: "Serve a local web page and a JSON API.",
    usage: "offers serve [<options>]",
    discussion: """
      Serves what is in the database, beside cron and the other commands, until it is interrupted. \
      Only this machine can ask; for others, name an address with --host, or the name of a proxy \
      with --allow-host, and a secret with --token-file.

      EXAMPLES
        offers serve                       then see http://127.0.0.1:8080
        offers serve --open --refresh 15m
        offers serve --host 192.168.1.5 --token-file ~/.config/offers/token
      """)

  @Option(
    name: .long, parsing: .unconditional, help: "The port to listen at (0 for any that is free).")
  var port = 8080

  @Option(name: .long, help: "The address to listen at.")
  var host = "127.0.0.1"

  @Option(
    name: .long,
    help: ArgumentHelp(
      "Another name that it may be asked by, again and again; any but localhost needs a token.",
      valueName: "name"))
  var allowHost: [String] = []

  @Option(
    name: .long,
    help: ArgumentHelp(
      "A file, yours alone, with the secret that every request has to show.", valueName: "file"))
  var tokenFile: String?

  @Option(
    name: .long, parsing: .unconditional,
    help: ArgumentHelp("Sync what is due, each time that so long has passed.", valueName: "time"))
  var refresh: String?

  @Flag(name: .long, help: "Show it in the browser.")
  var open = false

  @Flag(name: .long, help: "Print one JSON document that says where, once it listens.")
  var json = false

  @OptionGroup var location: DatabaseOptions
  @OptionGroup var configuration: ConfigurationOptions
  @OptionGroup var network: NetworkOptions
  @OptionGroup var logging: LogOptions

  /// How many may read the database at the same time.
  private static let readerCount = 4
  /// Open files, of which each connection is one.
  private static let fileCount: rlim_t = 4096

  func validate() throws {
    if !(0...65_535).contains(port) { throw ValidationError("--port must be 0 to 65535.") }
    if host.isEmpty { throw ValidationError("--host needs an address.") }
    if allowHost.contains(where: { $0.isEmpty || $0.contains("/") }) {
      throw ValidationError("--allow-host needs a name, such as offers.local or offers.local:8443.")
    }
  }

  func run() async throws {
    let interval = try refresh.map { try Since.seconds(parsing: $0) }
    if let interval, interval < 60 {
      throw OffersError(.invalidRequest, "--refresh must be at least 1m.")
    }
    let token = try tokenFile.map { try AccessToken(contentsOf: $0) }
    let path = try configuration.path
    let allowsPrivateNetwork = network.allowsPrivateNetwork(try path.load())
    let database = try OffersDatabase(
      path: try location.path, access: .readWrite, readerCount: Self.readerCount)
    let loader = ImageLoader(
      images: database, allowsPrivateNetwork: allowsPrivateNetwork, logger: logging.log.logger)
    let content = ServedContent(
      store: database,
      syncer: ServedFeeds(
        database: database, configurationPath: path, allowsPrivateNetwork: allowsPrivateNetwork,
        log: logging.log),
      images: loader, texts: QueryTexts())
    let server = try OffersServer(
      content,
      address: OffersServer.Address(host: host, port: port, allowedHosts: allowHost),
      token: token, refreshSeconds: interval, logger: logging.log.logger)
    Self.raiseFileLimit()
    let result: Result<Void, any Error>
    do {
      try await server.run { announce(port: $0) }
      result = .success(())
    } catch {
      result = .failure(error)
    }
    // Writes down how images were used.
    await loader.close()
    try result.get()
  }

  private func announce(port: Int) {
    // An address that means all of them is none to go to.
    let isAnywhere = host == "0.0.0.0" || host == "::"
    let name = isAnywhere ? "127.0.0.1" : host.contains(":") ? "[\(host)]" : host
    let url = "http://\(name):\(port)"
    if json {
      do {
        try Output.print(JSONWriter.document { $0.member("url", url) })
      } catch {
        // Who reads no address is served all the same.
        Output.note("offers: The address could not be printed.")
      }
    } else {
      Output.note("Serving at \(DisplayText.oneLine(url))")
    }
    guard open, let link = WebLink(url) else { return }
    // One that runs until its window is closed is not waited for.
    Thread.detachNewThread {
      if !Browser(ProcessInfo.processInfo.environment).open(link, willStart: { _ in }) {
        Output.note("No browser could be started. Open the address yourself.")
      }
    }
  }

  /// The usual 1024 are fewer than the connections that may be open.
  private static func raiseFileLimit() {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0,
      limit.rlim_cur < fileCount
    else { return }
    limit.rlim_cur = min(fileCount, limit.rlim_max)
    setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
  }
}
