import Foundation
import NIOSSL
import OffersCore

/// The root certificates that TLS connections trust.
enum TrustedCertificates {
  /// The environment variable with the path of a PEM file of certificates that replaces the
  /// system's, as in OpenSSL.
  static let variable = "SSL_CERT_FILE"

  /// The TLS configuration of a client that trusts the certificates in the file that `variable`
  /// names, or the system's if the variable is unset or empty.
  ///
  /// - Throws: `OffersError` with `invalidRequest` for a file that cannot be read as PEM
  ///   certificates.
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
