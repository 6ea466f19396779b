import Foundation
import OffersCore
import OffersPlatform

/// A file with a secret, or with a certificate.
enum SecretFile {
  /// Reads a secret of one line, without the line end behind it.
  ///
  /// - Parameters:
  ///   - path: the file, a regular one that only its owner can read.
  ///   - noun: the name of the secret, for the errors.
  ///   - mostBytes: the maximum length of the secret. Of a longer one, the beginning is returned, which
  ///     is longer than that as well.
  ///   - hint: the advice for a file that cannot be read; nil for none.
  /// - Returns: the secret. Bytes that are not UTF-8 become other characters than ASCII.
  /// - Throws: as `bytes`.
  static func read(
    _ path: String, _ noun: String, mostBytes: Int, hint: String? = nil
  ) throws -> String {
    var bytes = try bytes(
      of: path, noun, mostBytes: mostBytes + 2,
      forbiddenMode: ServiceCredential.forbiddenMode(of: path), hint: hint)
    while bytes.last == 0x0A || bytes.last == 0x0D { bytes.removeLast() }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// The first bytes of a regular file. Its type and permissions are checked on the open descriptor, so
  /// that the file cannot be replaced in between.
  ///
  /// - Parameter forbiddenMode: the permissions that the file must not have.
  /// - Throws: `OffersError` with `notFound` for a file that cannot be opened or read, with
  ///   `invalidRequest` for a file that is not regular or is accessible to others.
  static func bytes(
    of path: String, _ noun: String, mostBytes: Int, forbiddenMode: mode_t, hint: String? = nil
  ) throws -> [UInt8] {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else {
      throw OffersError(
        .notFound, "Could not read the \(noun) in \(path): \(String(cString: strerror(errno))).",
        hint: hint)
    }
    let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    var information = stat()
    guard fstat(descriptor, &information) == 0, information.st_mode & S_IFMT == S_IFREG else {
      throw OffersError(.invalidRequest, "\(path) is not a regular file.")
    }
    guard information.st_mode & forbiddenMode == 0 else {
      throw OffersError(
        .invalidRequest, "Others on this machine may read the \(noun) in \(path).",
        hint: "Make it yours alone: chmod 600 \(ShellQuoting.word(path))")
    }
    do {
      return Array(try handle.read(upToCount: mostBytes) ?? Data())
    } catch {
      throw OffersError(
        .notFound, "Could not read the \(noun) in \(path).", hint: hint, cause: "\(error)")
    }
  }
}
