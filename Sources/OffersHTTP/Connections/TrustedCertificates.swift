import Foundation
import NIOSSL
import OffersCore

/// The root certificates that TLS connections trust.
enum TrustedCertificates {
  /// The environment variable with the path of a PEM file of certificates that replaces the
  /// system's, as in OpenSSL.
  static let variable = "SSL_CERT_FILE"

  /// The TLS configuration with the trusted certificates.
  ///
  /// - Throws: `OffersError` with `invalidRequest` for a file that cannot be read.
  static func configuration(_ environment: (String) -> String?) throws -> TLSConfiguration {
    var configuration = TLSConfiguration.makeClientConfiguration()
    guard let path = environment(variable), !path.isEmpty else { return configuration }
    do {
      configuration.trustRoots = .certificates(try NIOSSLCertificate.fromPEMFile(path))
    } catch {
      throw OffersError(
        .invalidRequest, "\(variable) names \(path), which holds no certificates.",
        hint: "Name a file of certificates in PEM, or unset it.", cause: "\(error)")
    }
    return configuration
  }
}
