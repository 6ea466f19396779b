import Foundation
import Synchronization

/// A self-signed certificate for `localhost` and the names below `hosts.test`, and its key, both in PEM.
///
/// The command `openssl` makes them, once for each kind in a process of tests.
public struct TestCertificate: Sendable {
  /// The certificates of a process, which differ in their keys only.
  public enum Kind: Sendable {
    case first
    /// A certificate to take the place of the first one.
    case second
  }

  public let certificate: String
  public let key: String

  private static let made = Mutex<[Kind: TestCertificate]>([:])

  public init(_ kind: Kind = .first) throws {
    self = try Self.made.withLock { made in
      let certificate = try made[kind] ?? TestCertificate(openssl: "/usr/bin/openssl")
      made[kind] = certificate
      return certificate
    }
  }

  private init(openssl path: String) throws {
    let folder = try TemporaryFolder()
    defer { withExtendedLifetime(folder) {} }
    let files = (certificate: folder.file("cert.pem"), key: folder.file("key.pem"))
    let openssl = Process()
    openssl.executableURL = URL(fileURLWithPath: path)
    openssl.arguments = [
      "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
      "-days", "1", "-subj", "/CN=offers test", "-addext",
      "subjectAltName=DNS:localhost,DNS:*.hosts.test",
      "-keyout", files.key, "-out", files.certificate,
    ]
    let messages = try folder.write("", to: "messages")
    openssl.standardInput = FileHandle.nullDevice
    openssl.standardOutput = FileHandle.nullDevice
    openssl.standardError = try FileHandle(forWritingTo: URL(fileURLWithPath: messages))
    try openssl.run()
    openssl.waitUntilExit()
    guard openssl.terminationStatus == 0 else {
      throw Failure(message: try String(contentsOfFile: messages, encoding: .utf8))
    }
    certificate = try String(contentsOfFile: files.certificate, encoding: .utf8)
    key = try String(contentsOfFile: files.key, encoding: .utf8)
  }

  /// Why openssl made no certificate, in its own words.
  private struct Failure: Error {
    let message: String
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
