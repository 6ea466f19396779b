import Foundation
import NIOSSL
import OffersCore

/// The certificates that servers are believed by.
enum TrustedCertificates {
  /// The variable that names a file of certificates in PEM to use instead of the system's, as
  /// OpenSSL has it.
  static let variable = "SSL_CERT_FILE"

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
