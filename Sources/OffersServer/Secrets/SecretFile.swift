import Foundation
import OffersCore
import OffersPlatform

/// A file with a secret of one line, which only its owner can read.
enum SecretFile {
  /// Reads the secret, without the line end behind it.
  ///
  /// - Parameters:
  ///   - path: the file, a regular one that only its owner can read.
  ///   - noun: the name of the secret, for the errors.
  ///   - mostBytes: the maximum length of the secret. Of a longer one, the beginning is returned, which
  ///     is longer than that as well.
  ///   - hint: the advice for a file that cannot be read; nil for none.
  /// - Returns: the secret. Bytes that are not UTF-8 become other characters than ASCII.
  /// - Throws: `OffersError` with `notFound` for a file that cannot be opened or read, with
  ///   `invalidRequest` for a file that is not regular or is accessible to others.
  static func read(
    _ path: String, _ noun: String, mostBytes: Int, hint: String? = nil
  ) throws -> String {
    let handle = try open(path, noun, hint)
    var data = Data()
    do {
      data = try handle.read(upToCount: mostBytes + 2) ?? Data()
    } catch {
      throw OffersError(
        .notFound, "Could not read the \(noun) in \(path).", hint: hint, cause: "\(error)")
    }
    while data.last == 0x0A || data.last == 0x0D { data.removeLast() }
    return String(decoding: data, as: UTF8.self)
  }

  /// Opens the file and checks its type and permissions. The check uses the open descriptor, so
  /// that the file cannot be replaced in between.
  private static func open(_ path: String, _ noun: String, _ hint: String?) throws -> FileHandle {
    let descriptor = Foundation.open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
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
    guard information.st_mode & ServiceCredential.forbiddenMode(of: path) == 0 else {
      throw OffersError(
        .invalidRequest, "Others on this machine may read the \(noun) in \(path).",
        hint: "Make it yours alone: chmod 600 \(ShellQuoting.word(path))")
    }
    return handle
  }
}
