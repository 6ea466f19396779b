import Foundation
import Logging
import NIOSSL
import OffersCore
import OffersPlatform
import Synchronization

/// The certificate of a server that speaks TLS, and its private key, from two files in PEM.
///
/// Changed files take effect without a restart: they are examined when a client connects, at most once
/// a second. While they cannot be used, such as between the replacement of one and of the other, the
/// certificate that was read last stays in use.
package final class ServerCertificate: Sendable {
  private struct State {
    var context: NIOSSLContext
    /// The marks of the files that were read last, whether they could be used or not.
    var marks: [FileMark?]
    var examinedAt: Date?
  }

  private let certificatePath: String
  private let keyPath: String
  private let state: Mutex<State>

  private static let limitBytes = 1 << 20

  /// - Parameters:
  ///   - certificatePath: the file with the certificate, followed by those of intermediate
  ///     authorities.
  ///   - keyPath: the file with the private key, which only its owner and group may read.
  /// - Throws: `OffersError` with `notFound` for a file that cannot be read, with `invalidRequest` for
  ///   one without a certificate or a key, for an encrypted key, for one that others may read, and for
  ///   a key that does not belong to the certificate.
  package init(certificate certificatePath: String, key keyPath: String) throws {
    self.certificatePath = certificatePath
    self.keyPath = keyPath
    // The marks are older than the content, so that a change in between is noticed later.
    let marks = [FileMark(certificatePath), FileMark(keyPath)]
    state = Mutex(State(context: try Self.read(certificatePath, keyPath).context, marks: marks))
  }

  /// The context for a new connection.
  ///
  /// - Parameter logger: is told when changed files are read, and when they cannot be used.
  func context(now: Date, logger: Logger) -> NIOSSLContext {
    state.withLock { state in
      if state.examinedAt.map({ abs(now.timeIntervalSince($0)) >= 1 }) ?? true {
        state.examinedAt = now
        examine(&state, logger)
      }
      return state.context
    }
  }

  private func examine(_ state: inout State, _ logger: Logger) {
    let marks = [FileMark(certificatePath), FileMark(keyPath)]
    if marks == state.marks { return }
    state.marks = marks
    do {
      let (context, end) = try Self.read(certificatePath, keyPath)
      state.context = context
      logger.notice(
        "certificate read again",
        metadata: ["valid_until": "\(ISOTime.text(end.storedSeconds))"])
    } catch {
      let reason = (error as? OffersError)?.message ?? "\(error)"
      logger.error(
        "changed certificate unusable, the previous one stays", metadata: ["reason": "\(reason)"])
    }
  }

  /// Reads both files.
  ///
  /// - Returns: the context of connections, and the end of the certificate's validity.
  private static func read(
    _ certificatePath: String, _ keyPath: String
  ) throws -> (context: NIOSSLContext, end: Date) {
    let chain: [NIOSSLCertificate]
    do {
      chain = try NIOSSLCertificate.fromPEMBytes(
        SecretFile.bytes(
          of: certificatePath, "certificate", mostBytes: limitBytes, forbiddenMode: 0))
    } catch let error as OffersError {
      throw error
    } catch {
      throw OffersError(
        .invalidRequest, "\(certificatePath) has no certificate in PEM.",
        hint: "Such a file has the line -----BEGIN CERTIFICATE-----.", cause: "\(error)")
    }
    guard let own = chain.first else {
      throw OffersError(
        .invalidRequest, "\(certificatePath) has no certificate in PEM.",
        hint: "Such a file has the line -----BEGIN CERTIFICATE-----.")
    }
    let key = try readKey(keyPath)
    var configuration = TLSConfiguration.makeServerConfiguration(
      certificateChain: chain.map { .certificate($0) }, privateKey: .privateKey(key))
    configuration.minimumTLSVersion = .tlsv12
    configuration.applicationProtocols = ["http/1.1"]
    do {
      return (
        try NIOSSLContext(configuration: configuration),
        Date(storedSeconds: Int64(own.notValidAfter))
      )
    } catch {
      throw OffersError(
        .invalidRequest,
        "The key in \(keyPath) does not belong to the certificate in "
          + "\(certificatePath).",
        hint: "The first certificate of the file must be that of the server.", cause: "\(error)")
    }
  }

  private static func readKey(_ path: String) throws -> NIOSSLPrivateKey {
    let pem = try SecretFile.bytes(
      of: path, "key", mostBytes: limitBytes, forbiddenMode: 0o007)
    let text = String(decoding: pem, as: UTF8.self)
    if text.contains("ENCRYPTED") {
      let word = ShellQuoting.word(path)
      throw OffersError(
        .invalidRequest, "The key in \(path) is encrypted, and nobody is there to decrypt it.",
        hint: "Write it without a password: (umask 077; openssl pkey -in \(word) -out NEW-FILE)")
    }
    do {
      return try NIOSSLPrivateKey(bytes: pem, format: .pem)
    } catch {
      throw OffersError(
        .invalidRequest, "\(path) has no private key in PEM.",
        hint: "Such a file has the line -----BEGIN PRIVATE KEY-----.", cause: "\(error)")
    }
  }
}
