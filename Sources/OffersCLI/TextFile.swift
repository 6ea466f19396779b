import Glibc
import OffersCore
import OffersFeeds

/// A person's own files of feed definitions.
enum TextFile {
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
      if bytes.count > DefinitionFile.limitBytes {
        throw OffersError(
          .limitExceeded, "\(path) is larger than \(DefinitionFile.limitBytes >> 20) MiB.",
          hint: DefinitionFile.sizeHint)
      }
    }
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw OffersError(
        .invalidRequest, "\(path):\(line(ofBadTextIn: bytes)): the text is not UTF-8.",
        hint: "Save the file as UTF-8: other editors and encodings would damage it.")
    }
    return text
  }

  /// The line of the first byte that is no UTF-8.
  private static func line(ofBadTextIn bytes: [UInt8]) -> Int {
    let lines = bytes.split(separator: 0x0A, omittingEmptySubsequences: false)
    let bad = lines.firstIndex { String(validating: $0, as: UTF8.self) == nil }
    return (bad ?? 0) + 1
  }

  /// Changes what a file holds while nobody else does: another program that changes it, too, is
  /// waited for, and what it wrote is what is changed here.
  ///
  /// - Parameter change: is given what the file holds, nil when there is none, and returns what it
  ///   should hold, nil to leave it.
  static func update(_ path: String, _ change: (String?) throws -> String?) throws {
    let target = resolve(path)
    makeFolders(of: target)
    let folder =
      target.contains("/") ? String(target[..<(target.lastIndex(of: "/") ?? target.endIndex)]) : "."
    // The folder is locked: the file is another one after each change.
    let descriptor = open(folder.isEmpty ? "/" : folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { throw failure("write", path) }
    defer { close(descriptor) }
    while flock(descriptor, LOCK_EX) != 0 {
      if errno != EINTR { throw failure("lock the folder of", path) }
    }
    if let text = try change(try read(target)) { try write(text, to: target) }
  }

  /// What a link leads to, also where that is not there yet: it is replaced, not the link.
  private static func resolve(_ path: String) -> String {
    if let pointer = realpath(path, nil) {
      defer { free(pointer) }
      return String(cString: pointer)
    }
    var bytes = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = readlink(path, &bytes, bytes.count)
    guard count > 0 else { return path }
    let link = String(decoding: bytes[..<count].map(UInt8.init(bitPattern:)), as: UTF8.self)
    guard !link.hasPrefix("/"), let slash = path.lastIndex(of: "/") else { return link }
    return path[...slash] + link
  }

  /// Puts a text in place of what a file holds, whole or not at all. Its folder is made when it is
  /// missing.
  private static func write(_ text: String, to path: String) throws {
    var information = stat()
    let mode = stat(path, &information) == 0 ? information.st_mode & 0o777 : 0o600
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
      return fchmod(descriptor, mode) == 0 && fsync(descriptor) == 0
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
