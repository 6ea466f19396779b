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
      if let mode = Self.status(of: path)?.permissions, mode & 0o077 != 0 { open.append(path) }
    }
    if isForbidden {
      return Finding(
        .problem, "file", "\(file.path) cannot be read and written by you",
        hint: .changeMode("Change its owner or its permissions.", "u+rw", [file.path]))
    }
    if let first = open.first {
      let mode = Self.status(of: first)?.permissions ?? 0
      return Finding(
        mode & 0o022 != 0 ? .problem : .warning, "file",
        "\(first) may be \(mode & 0o022 != 0 ? "changed" : "read") by others",
        hint: .changeMode("Restrict access.", "600", open))
    }
    return Finding(.ok, "file", "only you can read and write \(file.path)")
  }

  private var folder: Finding {
    let folder = file.folder
    guard FileAccess.writing.isGranted(folder) else {
      return Finding(
        .problem, "folder", "no file can be created in \(folder), where the log and locks stand",
        hint: .changeMode("Change the permissions.", "u+rwx", [folder]))
    }
    // With the sticky bit, others can create files in the folder but not replace existing ones.
    if let status = Self.status(of: folder), status.permissions & 0o022 != 0, !status.isSticky {
      return Finding(
        .problem, "folder", "other users can replace the database in \(folder)",
        hint: .changeMode("Restrict access.", "go-w", [folder]))
    }
    return Finding(.ok, "folder", "\(folder) is yours to write")
  }

  /// Whether the permissions of an existing file deny reading or writing.
  private var isForbidden: Bool {
    do {
      try FileAccess([.reading, .writing]).check(file.path)
      return false
    } catch {
      return error.number == EACCES
    }
  }

  private static func status(of path: String) -> FileStatus? {
    // A file that cannot be looked at is reported by `isForbidden` or by the folder's check.
    (try? FileStatus.find(path)) ?? nil
  }

  /// Checks the SQLite version for the WAL-reset bug, and that the write guard works; see
  /// `WriteGuard`.
  private var library: Finding {
    do {
      // The lock file is created by the first write.
      if hasLockFile { _ = try DatabaseLock(path: file.lockPath).isHeld() }
    } catch {
      return Self.library(obstacle: (error as? OffersError)?.message ?? "\(error)")
    }
    return Self.library(obstacle: nil)
  }

  /// The finding about a version of SQLite.
  ///
  /// - Parameters:
  ///   - obstacle: the reason why the write guard does not work; nil if it does.
  ///   - number: the version as one number, such as 3040001.
  ///   - text: the version, such as `3.40.1`.
  static func library(
    obstacle: String?, number: Int32 = SQLiteLibrary.number, text: String = SQLiteLibrary.version
  ) -> Finding {
    let warning = SQLiteLibrary.resetBugWarning(number: number, version: text)
    if let obstacle {
      return Finding(
        warning == nil ? .warning : .problem, "sqlite",
        "SQLite \(text) \(warning == nil ? "does without" : "loses commits without") the write "
          + "guard, which does not work: \(obstacle)",
        hint: "Keep the database on a local disk, in a folder of your own")
    }
    guard let warning else {
      return Finding(.ok, "sqlite", "SQLite \(text), the write guard is in place")
    }
    return Finding(.note, "sqlite", warning, hint: SQLiteLibrary.resetBugHint)
  }

  private var hasLockFile: Bool { FileAccess.exists(file.lockPath) }

  private func locks(feeds: [String]) -> Finding {
    let holders = LockHolder.find(on: file.lockPath)
    func holder(of byte: Int64) -> String? {
      if let found = holders?.first(where: { $0.byte == byte }) {
        return "\(found.name) (process \(found.pid))"
      }
      // The process of another user is not visible. Without a file there is no lock.
      guard hasLockFile,
        let isHeld = try? DatabaseLock(path: file.lockPath).isHeld(byte: byte), isHeld
      else { return nil }
      return holders == nil ? "another process" : "another person's process"
    }
    var held: [String] = []
    if let name = holder(of: DatabaseLock.writeByte) { held.append("\(name) is writing") }
    for feed in feeds {
      if let name = holder(of: SQLiteEngine.lockByte(of: feed)) {
        held.append("\(name) is syncing \(feed)")
      }
    }
    return Finding(
      .ok, "locks",
      held.isEmpty ? "nobody is writing or syncing" : held.joined(separator: ", ") + " just now")
  }
}

/// The files that killed processes have left beside a database: temporary files of exports, backups
/// and downloads, and the incomplete copy of a restoration.
extension FileHealth {
  var leftovers: Finding {
    let names = findLeftovers()
    if names.isEmpty { return Finding(.ok, "files", "no file of a killed process") }
    return Finding(
      .warning, "files",
      "killed processes have left files (\(names.count)): \(names.joined(separator: ", "))",
      hint: HealthCheck.repairHint)
  }

  /// Removes the files.
  ///
  /// - Returns: nil if there is none.
  func removeLeftovers() -> Repair? {
    let names = findLeftovers()
    if names.isEmpty { return nil }
    AbandonedFiles.remove(in: file.folder)
    if hasIncompleteCopy {
      // A guard that another process holds, or that cannot be queried, leaves the file.
      _ = try? WriteGuard(file).holdIfFree {
        FileOperations.removeFile(FileReplacement(file: file).copyPath)
      }
    }
    let left = findLeftovers()
    return Repair(
      subject: "files",
      message: left.isEmpty
        ? "removed the files of killed processes (\(names.count))"
        : "could not remove \(left.joined(separator: ", "))",
      isDone: left.isEmpty)
  }

  private func findLeftovers() -> [String] {
    AbandonedFiles.find(in: file.folder)
      + (hasIncompleteCopy ? [FileReplacement(file: file).copyPath] : [])
  }

  /// Whether there is the copy of a restoration that nobody is writing. The process that writes it
  /// holds the write guard.
  private var hasIncompleteCopy: Bool {
    guard DatabaseFile(path: FileReplacement(file: file).copyPath).exists else { return false }
    // If the guard cannot be queried, the copy may be that of a living process.
    return (try? DatabaseLock(path: file.lockPath).isHeld()) == false
  }
}

extension SQLitePlace {
  package func examineRemains() -> Finding { FileHealth(path: path).leftovers }
  package func removeRemains() -> Repair? { FileHealth(path: path).removeLeftovers() }
}
