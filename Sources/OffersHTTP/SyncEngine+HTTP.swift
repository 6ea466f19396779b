import Foundation
import Logging
import OffersCore
import OffersFeeds
import OffersSync

extension SyncEngine {
  /// An engine with the HTTP client of this package. Each call opens connections of its own, and
  /// closes them at its end.
  ///
  /// - Parameters:
  ///   - store: the store of the offers.
  ///   - configuration: the definitions of the feeds.
  ///   - environment: returns the value of an environment variable: for the sources and headers of
  ///     definitions, for proxies (`https_proxy`, `http_proxy`, `all_proxy`, `no_proxy`) and for
  ///     certificates (`SSL_CERT_FILE`).
  ///   - logger: logs responses and runs, without the values of variables.
  ///   - now: the clock for the times of runs and offers, and for what is due.
  package init(
    store: any SyncStore, configuration: FeedConfiguration = .shipped,
    environment: @escaping @Sendable (String) -> String? = EnvironmentVariable.find,
    logger: Logger? = nil,
    now: @escaping @Sendable () -> Date = { Date() }
  ) {
    self.init(
      store: store, transport: .owned { HTTPConnections(environment: environment) },
      configuration: configuration, environment: environment, logger: logger ?? .silent, now: now)
  }
}
