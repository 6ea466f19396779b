import Foundation
import Logging
import OffersCore
import OffersHTTP
import OffersSQLite
import OffersSync

extension ImageLoader {
  /// A loader that caches images in a database, over a transport of the app's own.
  ///
  /// - Parameters:
  ///   - images: the database of the image cache, opened for writing.
  ///   - transport: sends the requests. It is not closed.
  ///   - allowsPrivateNetwork: whether servers in private networks may be contacted.
  ///   - logger: logs each image that could not be fetched; nil for none.
  ///   - now: the clock for the freshness of images and for the memory of failures.
  public init(
    images: OffersDatabase, transport: any HTTPTransport, allowsPrivateNetwork: Bool = false,
    logger: Logger? = nil, now: @escaping @Sendable () -> Date = { Date() }
  ) {
    let images: any ImageFetchStore = images
    self.init(
      images: images, transport: transport, allowsPrivateNetwork: allowsPrivateNetwork,
      logger: logger ?? .silent, now: now)
  }

  /// A loader that caches images in a database, with the HTTP client of this package. `close()`
  /// closes its connections.
  ///
  /// - Parameters:
  ///   - images: the database of the image cache, opened for writing.
  ///   - allowsPrivateNetwork: whether servers in private networks may be contacted.
  ///   - environment: finds environment variables, for proxies (`https_proxy`, `http_proxy`,
  ///     `all_proxy`, `no_proxy`) and certificates (`SSL_CERT_FILE`).
  ///   - logger: logs each image that could not be fetched; nil for none.
  ///   - now: the clock for the freshness of images and for the memory of failures.
  public init(
    images: OffersDatabase, allowsPrivateNetwork: Bool = false,
    environment: @escaping @Sendable (String) -> String? = EnvironmentVariable.find,
    logger: Logger? = nil, now: @escaping @Sendable () -> Date = { Date() }
  ) {
    let images: any ImageFetchStore = images
    self.init(
      images: images, allowsPrivateNetwork: allowsPrivateNetwork, environment: environment,
      logger: logger ?? .silent, now: now)
  }
}
