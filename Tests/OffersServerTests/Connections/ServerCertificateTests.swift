import Foundation
import OffersCore
import OffersTestSupport
import Testing

@testable import OffersServer

@Suite("The server's certificate")
struct ServerCertificateTests {
  private let folder: TemporaryFolder
  private let paths: (certificate: String, key: String)

  init() throws {
    folder = try TemporaryFolder()
    paths = try TestCertificate().write(to: folder)
  }

  private func error(certificate: String? = nil, key: String? = nil) -> OffersError? {
    #expect(throws: OffersError.self) {
      try ServerCertificate(
        certificate: certificate ?? paths.certificate, key: key ?? paths.key)
    }
  }

  @Test("a file that is missing, of another kind or without PEM is refused by its name")
  func refusesFiles() throws {
    let missing = folder.file("missing.pem")
    let none = error(certificate: missing)
    #expect(none?.code == .notFound)
    #expect(
      none?.message == "Could not read the certificate in \(missing): "
        + "No such file or directory.")
    #expect(error(key: missing)?.code == .notFound)
    #expect(error(certificate: folder.path)?.message == "\(folder.path) is not a regular file.")
    let text = try folder.write("hello", to: "text.pem")
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: text)
    #expect(error(certificate: text)?.message == "\(text) has no certificate in PEM.")
    #expect(error(certificate: paths.key)?.message == "\(paths.key) has no certificate in PEM.")
    #expect(error(key: text)?.message == "\(text) has no private key in PEM.")
  }

  @Test(
    "a key of another certificate, an encrypted one, and one that everybody may read are refused")
  func refusesKeys() throws {
    let other = try TestCertificate(.second).write(
      to: folder, certificate: "b.pem", key: "b-key.pem")
    let mismatch = error(key: other.key)
    #expect(mismatch?.code == .invalidRequest)
    #expect(
      mismatch?.message == "The key in \(other.key) does not belong to the certificate in "
        + "\(paths.certificate).")
    for (index, header) in ["BEGIN ENCRYPTED PRIVATE KEY", "Proc-Type: 4,ENCRYPTED"].enumerated() {
      let path = try folder.write("-----\(header)-----\nAAAA\n", to: "encrypted-\(index).pem")
      try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
      let encrypted = error(key: path)
      #expect(encrypted?.message.contains("is encrypted") == true)
      #expect(encrypted?.hint?.text.contains("openssl pkey -in \(path)") == true)
    }
    for (mode, isAccepted) in [(0o644, false), (0o604, false), (0o640, true), (0o400, true)] {
      try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: paths.key)
      if isAccepted {
        _ = try ServerCertificate(certificate: paths.certificate, key: paths.key)
      } else {
        #expect(error()?.hint?.text == "Make it yours alone: chmod 600 \(paths.key)")
      }
    }
  }

  @Test("renewed files take effect within a second, and half-renewed ones leave the old in use")
  func renews() throws {
    let clock = SteppedClock()
    let log = RecordedLog()
    let certificate = try ServerCertificate(certificate: paths.certificate, key: paths.key)
    func context() -> ObjectIdentifier {
      ObjectIdentifier(certificate.context(now: clock.now, logger: log.logger))
    }
    let first = context()
    let renewed = try TestCertificate(.second)
    try folder.write(renewed.certificate, to: "cert.pem")
    // The files are examined once a second.
    #expect(context() == first)
    #expect(log.lines.isEmpty)
    for _ in 0..<3 {
      clock.advance(by: 1)
      #expect(context() == first)
    }
    #expect(log.lines.count == 1)
    #expect(log.lines.first?.hasPrefix("error changed certificate unusable") == true)
    try renewed.write(to: folder)
    clock.advance(by: 1)
    #expect(context() != first)
    #expect(log.lines.last?.hasPrefix("notice certificate read again valid_until=20") == true)
    try FileManager.default.removeItem(atPath: paths.key)
    let second = context()
    clock.advance(by: 1)
    #expect(context() == second)
  }
}
