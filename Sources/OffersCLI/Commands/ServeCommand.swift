import ArgumentParser
import Foundation
import OffersCore
import OffersServer
import OffersStore
import OffersSync

/// `offers serve`
struct ServeCommand: WaitingCommand {
  static let configuration = CommandConfiguration(
    commandName: "serve",
    abstract: "Serve a local web page and a JSON API.",
    discussion: """
      EXAMPLES
        offers serve                       then see http://127.0.0.1:8080
        offers serve --port 9000
      """)

  @Option(name: .long, help: "The port to listen at (0 for any that is free).")
  var port = 8080

  @Option(name: .long, help: "The address to listen at.")
  var host = "127.0.0.1"

  @OptionGroup var location: DatabaseOptions
  @OptionGroup var configuration: ConfigurationOptions
  @OptionGroup var network: NetworkOptions
  @OptionGroup var logging: LogOptions

  func run() async throws {
    let database = try location.open(.readWrite)
    let path = try configuration.path
    let allowsPrivateNetwork = network.allowsPrivateNetwork(try path.load())
    let loader = ImageLoader(images: database, allowsPrivateNetwork: allowsPrivateNetwork)
    let content = ServedContent(
      store: database,
      syncer: ServedFeeds(
        database: database, configurationPath: path, allowsPrivateNetwork: allowsPrivateNetwork,
        log: logging.log),
      images: loader)
    let server = try OffersServer(
      content, address: OffersServer.Address(host: host, port: port), logger: logging.log.logger)
    try await server.run { port in
      Output.note("Serving at http://\(host):\(port)")
    }
    await loader.close()
  }
}
