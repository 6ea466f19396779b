import Glibc
import OffersCore

/// Small text files of a person's own.
enum TextFile {
  /// Most bytes read of one.
  private static let limitBytes = 4 << 20

  /// What a file holds; nil when there is none.
  static func read(_ path: String) throws -> String? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else {
      if errno == ENOENT || errno == ENOTDIR { return nil }
      throw failure("read", path)
    }
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 64 << 10)
    while true {
      let count = Glibc.read(descriptor, &piece, piece.count)
      if count < 0 {
        if errno == EINTR { continue }
        throw failure("read", path)
      }
      if count == 0 { break }
      bytes += piece[..<count]
      if bytes.count > limitBytes {
        throw OffersError(.limitExceeded, "\(path) is larger than \(limitBytes >> 20) MiB.")
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Puts a text in place of what a file holds, whole or not at all. Its folder is made when it is
  /// missing.
  static func write(_ text: String, to path: String) throws {
    // What a link leads to is replaced, not the link.
    let target = realpath(path, nil).map { pointer in
      defer { free(pointer) }
      return String(cString: pointer)
    }
    let path = target ?? path
    makeFolders(of: path)
    let temporary = path + ".new-\(getpid())"
    let descriptor = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw failure("write", path) }
    var text = text
    let isWritten = text.withUTF8 { bytes in
      var done = 0
      while done < bytes.count {
        let count = Glibc.write(descriptor, bytes.baseAddress.map { $0 + done }, bytes.count - done)
        if count < 0 && errno != EINTR { return false }
        done += max(0, count)
      }
      return fsync(descriptor) == 0
    }
    close(descriptor)
    guard isWritten, rename(temporary, path) == 0 else {
      let error = failure("write", path)
      unlink(temporary)
      throw error
    }
  }

  private static func makeFolders(of path: String) {
    var made = path.hasPrefix("/") ? "" : "."
    for part in path.split(separator: "/").dropLast() {
      made += "/" + part
      mkdir(made, 0o700)
    }
  }

  private static func failure(_ verb: String, _ path: String) -> OffersError {
    OffersError(
      .invalidRequest, "Could not \(verb) \(path): \(String(cString: strerror(errno))).",
      hint: "Check its permissions, or name another with --config.")
  }
}
