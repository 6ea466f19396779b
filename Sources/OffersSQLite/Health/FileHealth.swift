import Foundation
import OffersCore
import OffersPlatform

/// Checks of a database's file that do not open the database.
struct FileHealth {
  private let file: DatabaseFile

  init(path: String) {
    file = DatabaseFile(path: DatabaseFile.resolve(path))
  }

  /// Checks that only the owner can access the file and change its folder.
  var ownership: [Finding] { [permissions, folder] }

  /// Checks the write guard and lists the holders of locks.
  ///
  /// - Parameter feeds: the feeds whose sync locks are checked.
  func turns(feeds: [String]) -> [Finding] { [library, locks(feeds: feeds)] }

  private var permissions: Finding {
    var open: [String] = []
    for path in [file.path, file.path + "-wal", file.path + "-shm", file.lockPath] {
      guard let mode = Self.mode(of: path) else { continue }
      if mode & 0o077 != 0 { open.append(path) }
    }
    if access(file.path, R_OK | W_OK) != 0, errno == EACCES {
      return Finding(
        .problem, "file", "\(file.path) cannot be read and written by you",
        advice: Advice(
          "Change its owner or its permissions", .changeMode("u+rw", paths: [file.path])))
    }
    if let first = open.first {
      let mode = Self.mode(of: first) ?? 0
      return Finding(
        mode & 0o022 != 0 ? .problem : .warning, "file",
        "\(first) may be \(mode & 0o022 != 0 ? "changed" : "read") by others",
        advice: Advice("Restrict access", .changeMode("600", paths: open)))
    }
    return Finding(.ok, "file", "only you can read and write \(file.path)")
  }

  private var folder: Finding {
    let folder = file.folder
    guard access(folder, W_OK) == 0 else {
      return Finding(
        .problem, "folder", "no file can be created in \(folder), where the log and locks stand",
        advice: Advice("Change the permissions", .changeMode("u+rwx", paths: [folder])))
    }
    // With the sticky bit, others can create files in the folder but not replace existing ones.
    if let mode = Self.mode(of: folder), mode & 0o022 != 0, mode & S_ISVTX == 0 {
      return Finding(
        .problem, "folder", "other users can replace the database in \(folder)",
        advice: Advice("Restrict access", .changeMode("go-w", paths: [folder])))
    }
    return Finding(.ok, "folder", "\(folder) is yours to write")
  }

  private static func mode(of path: String) -> mode_t? {
    var information = stat()
    return stat(path, &information) == 0 ? information.st_mode : nil
  }

  /// Checks the SQLite version for the WAL-reset bug, and that the write guard works; see
  /// `WriteGuard`.
  private var library: Finding {
    let number = SQLiteLibrary.number
    let isMended =
      number >= 3_051_003 || (3_050_007..<3_051_000).contains(number)
      || (3_044_006..<3_045_000).contains(number)
    let version = "SQLite \(OffersDatabase.sqliteVersion)"
    do {
      // The lock file is created by the first write.
      if hasLockFile { _ = try FileLock(path: file.lockPath, byte: 0).isHeld() }
    } catch {
      let reason = (error as? OffersError)?.message ?? "\(error)"
      return Finding(
        isMended ? .warning : .problem, "sqlite",
        "\(version) \(isMended ? "does without" : "loses commits without") the write guard, "
          + "which does not work: \(reason)",
        advice: "Keep the database on a local disk, in a folder of your own")
    }
    return Finding(
      .ok, "sqlite",
      isMended
        ? "\(version), the write guard is in place"
        : "\(version) can lose commits of several writers; the write guard keeps it from that")
  }

  private var hasLockFile: Bool { access(file.lockPath, F_OK) == 0 }

  private func locks(feeds: [String]) -> Finding {
    let holders = LockHolder.find(on: file.lockPath)
    func holder(of byte: Int64) -> String? {
      if let found = holders?.first(where: { $0.byte == byte }) {
        return "\(found.name) (process \(found.pid))"
      }
      // The process of another user is not visible. Without a file there is no lock.
      guard hasLockFile,
        let isHeld = try? FileLock(path: file.lockPath, byte: byte).isHeld(), isHeld
      else { return nil }
      return holders == nil ? "another process" : "another person's process"
    }
    var held: [String] = []
    if let name = holder(of: 0) { held.append("\(name) is writing") }
    for feed in feeds {
      if let name = holder(of: OffersDatabase.lockByte(of: feed)) {
        held.append("\(name) is syncing \(feed)")
      }
    }
    return Finding(
      .ok, "locks",
      held.isEmpty ? "nobody is writing or syncing" : held.joined(separator: ", ") + " just now")
  }
}
