import Foundation
import GRDB
import OffersCore

/// The database's file before SQLite touches it: made with the right mode, or refused untouched.
struct DatabaseFile {
  let path: String

  /// Marks the file as ours, in its header: "OFFR".
  static let applicationID: Int32 = 0x4F46_4652

  /// The file that a path leads to, links followed, as SQLite does: whoever comes by a link must
  /// take the same locks. A path without a file stays as it is.
  static func resolve(_ path: String) -> String {
    guard let real = realpath(path, nil) else { return path }
    defer { free(real) }
    return String(cString: real)
  }

  /// What the names of the files end in that stand beside a database.
  static let companions = ["-wal", "-shm", "-journal", "-lock"]

  /// The file that guards its writes and syncs.
  var lockPath: String { path + "-lock" }

  /// The sizes of the file and of its log, in bytes; 0 for one that is not there.
  var bytes: Int { Self.bytes(of: path) }
  var logBytes: Int { Self.bytes(of: path + "-wal") }

  private static func bytes(of path: String) -> Int {
    var information = stat()
    return stat(path, &information) == 0 ? Int(information.st_size) : 0
  }

  var folder: String { FileBytes.folder(of: path) }

  /// Whether something stands at the path, whatever it is.
  var exists: Bool {
    var information = stat()
    return stat(path, &information) == 0
  }

  /// What a connection that only reads opens. Where nothing can be written beside the file, as on
  /// a read-only medium, and no log is left to read, the file alone is the database.
  /// https://sqlite.org/uri.html#uriimmutable
  var pathForReading: String {
    guard access(folder, W_OK) != 0, !exists(path + "-shm") else { return path }
    var log = stat()
    if stat(path + "-wal", &log) == 0, log.st_size > 0 { return path }
    return immutablePath
  }

  /// The file as one that nobody writes: it is read without locks, and nothing comes to stand
  /// beside it.
  var immutablePath: String {
    let allowed = CharacterSet.urlPathAllowed.subtracting(CharacterSet(charactersIn: "?#%"))
    return "file:" + (path.addingPercentEncoding(withAllowedCharacters: allowed) ?? path)
      + "?immutable=1"
  }

  /// What tells a file from every other one, whatever their names.
  struct Identity: Equatable, Sendable {
    fileprivate let device: UInt
    fileprivate let number: UInt
  }

  /// The file that the path leads to now; nil when there is none.
  var identity: Identity? { Self.identity(of: path) }

  private static func identity(of path: String) -> Identity? {
    var information = stat()
    guard stat(path, &information) == 0 else { return nil }
    return Identity(device: UInt(information.st_dev), number: UInt(information.st_ino))
  }

  /// Whether another path leads to this very file.
  func isSameFile(as other: String) -> Bool {
    guard let mine = identity, let others = Self.identity(of: other) else { return path == other }
    return mine == others
  }

  /// Refuses to go on with a file that no longer has its name: what is written there is lost.
  ///
  /// - Parameter opened: the file as it was opened.
  /// - Throws: `OffersError` with `storageFailed`.
  func checkIdentity(_ opened: Identity?) throws {
    if identity == opened { return }
    throw OffersError(
      .storageFailed, "The database \(path) was replaced or removed while it was open.",
      hint: "Nothing was written. Start again what has it open.")
  }

  private func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }

  /// Refuses a file that must not be opened.
  func check(_ header: Header) throws {
    switch header {
    case .foreign:
      throw Self.foreignFile(path)
    case .ours(let version, _):
      try Self.checkVersion(version, path: path)
    case .missing, .empty, .blank:
      break
    }
  }

  static func foreignFile(_ path: String) -> OffersError {
    OffersError(
      .storageFailed, "\(path) is not a database of this program. It was left untouched.",
      hint: "Name another file with --database.")
  }

  static func checkVersion(_ version: Int, path: String) throws {
    if version < 0 { throw foreignFile(path) }
    guard version > Schema.version else { return }
    throw OffersError(
      .newerDatabase,
      "\(path) was written by a newer version of offers (schema \(version), this one knows "
        + "\(Schema.version)). It was left untouched.",
      hint: "Install the newer version, or name another file with --database.")
  }

  /// Makes an empty file and its folder, readable by their owner only: SQLite would let others read
  /// the file. It stays as it is where it is there.
  func create() throws {
    guard FileBytes.makeFolders(of: path) else { throw unmakeable() }
    let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw unmakeable() }
    close(descriptor)
  }

  private func unmakeable() -> any Error {
    switch errno {
    case ENOSPC, EDQUOT: return DatabaseError(resultCode: .SQLITE_FULL)
    case EIO: return DatabaseError(resultCode: .SQLITE_IOERR)
    case let reason:
      return OffersError(
        .storageFailed,
        "Could not make the database \(path): \(String(cString: strerror(reason))).",
        hint: "Check the folder's permissions, or name another with --database.")
    }
  }
}
