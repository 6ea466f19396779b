import Hummingbird
import Logging
import OffersCore

/// Serves the pages and the JSON API.
package struct OffersServer: Sendable {
  /// Where it listens.
  package struct Address: Hashable, Sendable {
    package let host: String
    package let port: Int

    package init(host: String = "127.0.0.1", port: Int = 8080) {
      self.host = host
      self.port = port
    }
  }

  private let content: ServedContent
  private let address: Address
  private let logger: Logger

  package init(_ content: ServedContent, address: Address = Address(), logger: Logger) {
    self.content = content
    self.address = address
    self.logger = logger
  }

  /// What answers requests, also for tests, without a port.
  func responder() -> ServedResponder {
    let answers = Answers(signal: content.store)
    let router = Router()
    APIRoutes(content: content, answers: answers).add(to: router)
    PageRoutes(content: content, answers: answers).add(to: router)
    return ServedResponder(answers: answers, router: router.buildResponder())
  }

  /// Serves until the process is asked to end.
  ///
  /// - Parameter ready: called once it listens, with the port.
  package func run(ready: @escaping @Sendable (Int) async -> Void = { _ in }) async throws {
    let application = Application(
      responder: responder(),
      configuration: ApplicationConfiguration(
        address: .hostname(address.host, port: address.port), serverName: nil),
      onServerRunning: { await ready($0.localAddress?.port ?? 0) }, logger: logger)
    try await application.runService()
  }
}
