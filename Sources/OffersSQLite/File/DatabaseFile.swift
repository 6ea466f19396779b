import Foundation
import GRDB
import OffersCore
import OffersPlatform

/// The database's file as the file system sees it: created with the right mode, or refused
/// untouched.
struct DatabaseFile {
  let path: String

  /// The application id in the header of this program's files: "OFFR".
  static let applicationID: Int32 = 0x4F46_4652

  /// Resolves symbolic links, as SQLite does: all processes must use the same lock file, whichever
  /// path they were given. Of a link to a missing file, the file that will be created is returned.
  static func resolve(_ path: String) -> String {
    if let real = realpath(path, nil) {
      defer { free(real) }
      return String(cString: real)
    }
    var path = path
    for _ in 0..<linkLimit {
      guard
        let target = try? FileManager.default.destinationOfSymbolicLink(atPath: path)
      else { break }
      path = target.hasPrefix("/") ? target : FileBytes.folder(of: path) + "/" + target
    }
    return path
  }

  /// The most links that are followed; Linux has the same limit (path_resolution(7)).
  private static let linkLimit = 40

  /// The suffixes of the files beside a database.
  static let companions = [
    "-wal", "-shm", "-journal", "-lock", FileReplacement.copyEnding, FileReplacement.decidedEnding,
  ]

  /// The file with the locks of writers and syncs.
  var lockPath: String { path + "-lock" }

  /// The sizes of the file and of its log, in bytes; 0 if missing.
  var bytes: Int { Self.bytes(of: path) }
  var logBytes: Int { Self.bytes(of: path + "-wal") }

  private static func bytes(of path: String) -> Int {
    var information = stat()
    return stat(path, &information) == 0 ? Int(information.st_size) : 0
  }

  var folder: String { FileBytes.folder(of: path) }

  /// Whether the path exists, as any kind of file.
  var exists: Bool {
    var information = stat()
    return stat(path, &information) == 0
  }

  /// The path or URI that a read-only connection opens. Where the folder is not writable, as on a
  /// read-only medium, and there is no log, the file is opened as immutable.
  /// https://sqlite.org/uri.html#uriimmutable
  var pathForReading: String {
    guard access(folder, W_OK) != 0, !exists(path + "-shm") else { return path }
    var log = stat()
    if stat(path + "-wal", &log) == 0, log.st_size > 0 { return path }
    return immutablePath
  }

  /// A URI that opens the file as immutable: SQLite takes no locks and creates no files beside it.
  var immutablePath: String {
    let allowed = CharacterSet.urlPathAllowed.subtracting(CharacterSet(charactersIn: "?#%"))
    return "file:" + (path.addingPercentEncoding(withAllowedCharacters: allowed) ?? path)
      + "?immutable=1"
  }

  /// Identifies a file independently of its names: device and inode.
  struct Identity: Equatable, Sendable {
    fileprivate let device: UInt
    fileprivate let number: UInt
  }

  /// The identity of the file at the path; nil if there is none.
  var identity: Identity? { Self.identity(of: path) }

  private static func identity(of path: String) -> Identity? {
    var information = stat()
    guard stat(path, &information) == 0 else { return nil }
    return Identity(
      device: UInt(truncatingIfNeeded: information.st_dev), number: UInt(information.st_ino))
  }

  /// Whether another path names the same file.
  func isSameFile(as other: String) -> Bool {
    guard let mine = identity, let others = Self.identity(of: other) else { return path == other }
    return mine == others
  }

  /// Refuses a file that is no longer at its path: writes to it would be lost.
  ///
  /// - Parameter opened: the identity at the time it was opened.
  /// - Throws: `OffersError` with `storageFailed`.
  func checkIdentity(_ opened: Identity?) throws {
    if identity == opened { return }
    throw OffersError(
      .storageFailed, "The database \(path) was replaced or removed while it was open.",
      hint: "Nothing was written. Restart the programs that have it open.")
  }

  /// The error of each operation after `OffersDatabase.close()`.
  var closedError: OffersError {
    OffersError(
      .invalidRequest, "The database \(path) is closed.", hint: "Open it again to use it.")
  }

  private func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }

  /// Creates the folder of a missing file.
  ///
  /// - Throws: an error that translates to `OffersError`, also if no file can be created in it.
  func makeFolder() throws {
    do {
      try FileBytes.makeFolders(of: path)
    } catch {
      throw unmakeable(error.number)
    }
    // A process may have been killed after it had made the folder and before it synced the name.
    FileBytes.syncFolder(of: folder)
    guard access(folder, W_OK) == 0 else { throw unmakeable(errno) }
  }

  /// Creates an empty file, readable by the owner only, because SQLite would create it readable by
  /// others.
  func create() throws {
    let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw unmakeable(errno) }
    close(descriptor)
  }

  /// Removes the files of a database whose creation failed. The caller holds the write guard, and
  /// nothing was acknowledged yet.
  func removeUnmade() {
    for ending in ["-wal", "-shm", "-journal", ""] { unlink(path + ending) }
  }

  private func unmakeable(_ reason: Int32) -> any Error {
    switch reason {
    case ENOSPC, EDQUOT: return DatabaseError(resultCode: .SQLITE_FULL)
    case EIO: return DatabaseError(resultCode: .SQLITE_IOERR)
    default:
      return OffersError(
        .storageFailed,
        "Could not create the database \(path): \(String(cString: strerror(reason))).",
        advice: Advice("Check the folder's permissions, or name another", .chooseDatabase))
    }
  }
}
