import Glibc
import OffersCore
import OffersFeeds

/// Reads of small text files, such as the user's file of feed definitions.
enum TextFile {
  /// The content of a file; nil if it does not exist.
  ///
  /// - Throws: `OffersError` with `limitExceeded` for a file over `DefinitionFile.limitBytes`,
  ///   `invalidRequest` for text that is not UTF-8, `storageFailed` if it cannot be read.
  static func read(_ path: String) throws -> String? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else {
      if errno == ENOENT || errno == ENOTDIR { return nil }
      throw failure(path)
    }
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 64 << 10)
    while true {
      let count = Glibc.read(descriptor, &piece, piece.count)
      if count < 0 {
        if errno == EINTR { continue }
        throw failure(path)
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

  /// The number of the first line that is not valid UTF-8.
  private static func line(ofBadTextIn bytes: [UInt8]) -> Int {
    let lines = bytes.split(separator: 0x0A, omittingEmptySubsequences: false)
    let bad = lines.firstIndex { String(validating: $0, as: UTF8.self) == nil }
    return (bad ?? 0) + 1
  }

  private static func failure(_ path: String) -> OffersError {
    OffersError(
      .storageFailed, "Could not read \(path): \(String(cString: strerror(errno))).",
      hint: "Check its permissions, or name another with --config.")
  }
}
