import Foundation
import OffersCore

/// The root certificates that TLS connections trust.
enum TrustedCertificates {
  /// The environment variable with the path of a PEM file of certificates that replaces the
  /// system's, as in OpenSSL.
  static let variable = "SSL_CERT_FILE"

  /// The path that the variable names; nil for the system's certificates.
  ///
  /// - Throws: `OffersError` with `invalidRequest` for a file without a certificate in PEM, which
  ///   libcurl would tell only after it has connected.
  static func file(_ environment: (String) -> String?) throws -> String? {
    guard let path = environment(variable), !path.isEmpty else { return nil }
    let text: Data
    do {
      text = try Data(contentsOf: URL(fileURLWithPath: path))
    } catch {
      throw unusable(path, cause: "\(error)")
    }
    guard text.firstRange(of: Data("CERTIFICATE-----".utf8)) != nil else {
      throw unusable(path, cause: "it has no line -----BEGIN CERTIFICATE-----")
    }
    return path
  }

  /// The error of a file that cannot be read as PEM certificates.
  static func unusable(_ path: String, cause: String) -> OffersError {
    OffersError(
      .invalidRequest, "\(variable) names \(path), which holds no certificates.",
      hint: "Name a file of certificates in PEM, or unset it.", cause: cause)
  }
}
