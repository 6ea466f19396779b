import Glibc
import OffersCore
import OffersPlatform

/// The kind of a file that a person gives to `restore` or `import`, by its first bytes.
enum TransferFileKind {
  /// A database, such as a backup.
  case database
  /// A JSON document, such as an export.
  case document
  /// Data compressed by gzip, xz or zstd.
  case compressed

  /// Nil for another kind, and for a file that cannot be read, which the command reports.
  init?(of path: String) {
    // Opening a pipe must not block.
    let descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    guard let status = try? FileStatus(of: descriptor), status.isRegular else { return nil }
    var bytes = [UInt8](repeating: 0, count: 64)
    let count = read(descriptor, &bytes, bytes.count)
    guard count > 0 else { return nil }
    let start = bytes[..<count]
    let starts: [[UInt8]] = [[0x1F, 0x8B], [0xFD, 0x37, 0x7A, 0x58], [0x28, 0xB5, 0x2F, 0xFD]]
    if start.starts(with: "SQLite format 3\0".utf8) {
      self = .database
    } else if starts.contains(where: start.starts) {
      self = .compressed
    } else if start.first(where: { !" \t\r\n".utf8.contains($0) && $0 < 0x80 }) == 0x7B {
      self = .document
    } else {
      return nil
    }
  }

  /// Refuses a file that another command takes.
  ///
  /// - Throws: `OffersError` with `invalidRequest`.
  static func check(_ path: String, isFor kind: TransferFileKind) throws {
    guard let found = TransferFileKind(of: path), found != kind else { return }
    let word = ShellQuoting.word(path)
    let (what, hint) =
      switch (found, kind) {
      case (.database, _):
        ("a database, not an export", "Put it in place with: offers restore \(word)")
      case (.document, _): ("an export, not a backup", "Import it with: offers import \(word)")
      case (.compressed, .document):
        ("compressed", "Decompress it, such as with: zcat \(word) | offers import -")
      case (.compressed, _): ("compressed", "Decompress it first.")
      }
    throw OffersError(.invalidRequest, "\(path) is \(what). Nothing was changed.", hint: hint)
  }
}
