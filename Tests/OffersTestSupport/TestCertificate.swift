import Crypto
import Foundation
import X509

/// A self-signed certificate for `localhost`, and its key, both in PEM.
public struct TestCertificate: Sendable {
  public let certificate: String
  public let key: String

  public init() throws {
    let key = P256.Signing.PrivateKey()
    self.key = key.pemRepresentation
    let name = try DistinguishedName { CommonName("offers test") }
    certificate = try Certificate(
      version: .v3, serialNumber: .init(), publicKey: .init(key.publicKey),
      notValidBefore: Date() - 3600, notValidAfter: Date() + 86_400, issuer: name, subject: name,
      signatureAlgorithm: .ecdsaWithSHA256,
      extensions: try .init {
        Critical(BasicConstraints.isCertificateAuthority(maxPathLength: nil))
        SubjectAlternativeNames([.dnsName("localhost")])
      },
      issuerPrivateKey: .init(key)
    ).serializeAsPEM().pemString
  }

  /// Writes both into files that only their owner can read, `cert.pem` and `key.pem` by default.
  ///
  /// - Returns: the paths of the files.
  @discardableResult
  public func write(
    to folder: TemporaryFolder, certificate certificateName: String = "cert.pem",
    key keyName: String = "key.pem"
  ) throws -> (certificate: String, key: String) {
    let paths = (
      try folder.write(certificate, to: certificateName), try folder.write(key, to: keyName)
    )
    for path in [paths.0, paths.1] {
      try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
    }
    return paths
  }
}
