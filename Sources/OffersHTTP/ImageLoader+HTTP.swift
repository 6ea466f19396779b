import Foundation
import Logging
import OffersCore
import OffersSync

extension ImageLoader {
  /// A loader with the HTTP client of this package. `close()` closes its connections.
  ///
  /// - Parameters:
  ///   - images: the image cache.
  ///   - allowsPrivateNetwork: whether servers in private networks may be contacted.
  ///   - environment: returns the value of an environment variable: for proxies (`https_proxy`,
  ///     `http_proxy`, `all_proxy`, `no_proxy`) and for certificates (`SSL_CERT_FILE`).
  ///   - scaler: makes the copies of images for lists; nil for none.
  ///   - logger: logs each image that could not be fetched.
  ///   - now: the clock for the freshness of images and for the memory of failures.
  package init(
    images: any ImageFetchStore, allowsPrivateNetwork: Bool = false,
    environment: @escaping @Sendable (String) -> String? = EnvironmentVariable.find,
    scaler: (any ImageScaler)? = nil, logger: Logger? = nil,
    now: @escaping @Sendable () -> Date = { Date() }
  ) {
    self.init(
      images: images,
      transport: .owned { HTTPConnections(connectionsPerHost: 2, environment: environment) },
      allowsPrivateNetwork: allowsPrivateNetwork, scaler: scaler, logger: logger ?? .silent,
      now: now)
  }
}
