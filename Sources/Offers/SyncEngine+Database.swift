import Foundation
import Logging
import OffersCore
import OffersFeeds
import OffersHTTP
import OffersSQLite
import OffersSync

extension SyncEngine {
  /// An engine that syncs into a database, over a transport of the app's own.
  ///
  /// - Parameters:
  ///   - store: the database of the offers, opened for writing.
  ///   - transport: sends the requests. It is not closed.
  ///   - configuration: the definitions of the feeds.
  ///   - environment: finds environment variables, for the sources of definitions.
  ///   - logger: logs each step, without the values of variables; nil for none.
  ///   - now: the clock for the times of runs and offers, and for what is due.
  public init(
    store: OffersDatabase, transport: any HTTPTransport,
    configuration: FeedConfiguration = .shipped,
    environment: @escaping @Sendable (String) -> String? = EnvironmentVariable.find,
    logger: Logger? = nil,
    now: @escaping @Sendable () -> Date = { Date() }
  ) {
    let store: any SyncStore = store
    self.init(
      store: store, transport: transport, configuration: configuration, environment: environment,
      logger: logger ?? .silent, now: now)
  }

  /// An engine that syncs into a database, with the HTTP client of this package. Each call opens
  /// connections of its own, and closes them at its end.
  ///
  /// - Parameters:
  ///   - store: the database of the offers, opened for writing.
  ///   - configuration: the definitions of the feeds.
  ///   - environment: finds environment variables, for the sources of definitions, for proxies
  ///     (`https_proxy`, `http_proxy`, `all_proxy`, `no_proxy`) and certificates
  ///     (`SSL_CERT_FILE`).
  ///   - logger: logs each step, without the values of variables; nil for none.
  ///   - now: the clock for the times of runs and offers, and for what is due.
  public init(
    store: OffersDatabase, configuration: FeedConfiguration = .shipped,
    environment: @escaping @Sendable (String) -> String? = EnvironmentVariable.find,
    logger: Logger? = nil,
    now: @escaping @Sendable () -> Date = { Date() }
  ) {
    let store: any SyncStore = store
    self.init(
      store: store, configuration: configuration, environment: environment,
      logger: logger ?? .silent,
      now: now)
  }
}
