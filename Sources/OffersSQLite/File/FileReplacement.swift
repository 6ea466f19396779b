import Foundation
import OffersCore
import OffersPlatform

/// The replacement of a database's files by a copy, which a kill or a power cut at any point leaves
/// undone or to be completed.
///
/// 1. The copy is written, checked and synced at `copyPath`. The database is as before. A copy that
///    a dead process left is removed by the next replacement or repair.
/// 2. `decide` renames the copy to `decidedPath`. Whoever opens the database from now on completes
///    the steps below first.
/// 3. `complete` puts the database's files aside, each under the same new name: the database first,
///    then its log, its journal and its index of the log. At no moment does a log or journal stand
///    beside a database that is not its own: while there is no database, SQLite discards both.
/// 4. The copy gets the database's name, unless a file has got it in the meantime; then it continues
///    with step 3.
///
/// The caller holds the write guard, and from step 2 on a `ExclusiveFileLock` of the database.
struct FileReplacement {
  let file: DatabaseFile

  /// The path of the incomplete copy.
  var copyPath: String { file.path + Self.copyEnding }
  /// The path of the complete copy that becomes the database.
  var decidedPath: String { file.path + Self.decidedEnding }

  static let copyEnding = "-restoring"
  static let decidedEnding = "-restored"

  /// The files of a database that belong together, in the order in which they are moved.
  private static let endings = ["", "-wal", "-journal", "-shm"]
  /// The number of files that may get the database's name meanwhile before `complete` gives up.
  private static let attemptLimit = 10

  /// Whether a replacement was decided and not completed. Another file with the name of the copy is
  /// left alone, as is one of another user than the database's or its folder's: in a folder that all can
  /// write, they could have put it there.
  var isPending: Bool {
    guard let copy = Self.status(of: decidedPath), copy.isRegular, copy.permissions & 0o002 == 0
    else { return false }
    let old = Self.status(of: file.path) ?? lastAside.flatMap(Self.status)
    let owners = [old, Self.status(of: file.folder)].compactMap { $0?.ownerID }
    guard copy.isOfThisUser || owners.contains(copy.ownerID) else { return false }
    if case .ours = try? DatabaseFile(path: decidedPath).findHeader() { return true }
    return false
  }

  /// Gives the copy the owner, group and permissions of the database, or of a new file in its folder.
  ///
  /// - Throws: `OffersError` with `storageFailed` if only root may do that.
  func keepOwner() throws {
    do {
      if let old = try FileStatus.find(file.path) {
        try FileOperations.keepOwner(old, permissions: old.permissions, of: copyPath)
      } else if let folder = try FileStatus.find(file.folder) {
        let copy = try FileStatus.find(copyPath) ?? folder
        try FileOperations.keepOwner(copy, permissions: folder.permissionsOfFiles, of: copyPath)
      }
    } catch {
      throw OffersError(
        .storageFailed,
        "The new database cannot get the owner and group of \(file.path): \(error.text). Nothing was "
          + "changed.",
        hint: "Run it as root, or as the owner of that file.")
    }
  }

  /// Makes the copy the next database, for good.
  func decide() throws {
    do {
      try FileOperations.move(copyPath, toNew: decidedPath)
    } catch {
      throw failure(error)
    }
    FileOperations.syncFolder(of: file.path)
  }

  /// Completes a replacement that was decided, also by a process that was killed. Does nothing
  /// without one.
  ///
  /// - Parameter hold: the hold of the old database; nil if the caller has none.
  /// - Returns: the path of the old database; nil if there was none, or no replacement.
  /// - Throws: `OffersError` with `locked` if the old database is open elsewhere, `storageFailed`
  ///   if a file cannot be moved.
  @discardableResult
  func complete(holding hold: ExclusiveFileLock? = nil) throws -> String? {
    guard isPending, let start = asideName else { return nil }
    var aside: String?
    for attempt in 0..<Self.attemptLimit {
      aside = try putAside(start, isHeld: attempt == 0 && hold != nil) ?? aside
      if try placeCopy() { return aside }
    }
    throw OffersError(
      .locked, "Another program keeps making \(file.path).",
      hint: "End it. The next opening of the database completes the restoration.")
  }

  /// Gives the copy the database's name.
  ///
  /// - Returns: false if there is a file with that name.
  private func placeCopy() throws -> Bool {
    do {
      try FileOperations.move(decidedPath, toNew: file.path)
    } catch {
      if error.number == EEXIST { return false }
      throw failure(error)
    }
    FileOperations.syncFolder(of: file.path)
    return true
  }

  /// The name under which the old files go aside: that of the database with the time of the copy, so
  /// that it is the same after a kill. Nil if nothing is pending.
  var asideName: String? {
    Self.changeTime(of: decidedPath).map { file.path + ".before-" + Self.stamp($0) }
  }

  /// The path of the database that was moved before a kill; nil if there is none.
  private var lastAside: String? {
    asideName.flatMap { start in Self.names(start).prefix { Self.isTaken($0) }.last }
  }

  /// Moves the files of the database to a new name, and syncs the folder.
  ///
  /// - Parameters:
  ///   - start: the new name, to which a number is added if it is taken.
  ///   - isHeld: whether the caller has a `ExclusiveFileLock` of the database.
  /// - Returns: the path of the moved database, also if it was moved before a kill; nil if there was none.
  private func putAside(_ start: String, isHeld: Bool) throws -> String? {
    let present = Self.endings.filter { Self.isThere(file.path + $0) }
    // The database may have been moved before a kill. Its log and journal follow it then.
    let moved = Self.names(start).prefix { Self.isTaken($0) }.last
    if present.isEmpty { return moved }
    let hold = try isHeld ? nil : requireUnused()
    var name = Self.names(start).first { !Self.isTaken($0) } ?? start
    if present.first != "", let moved, !present.contains(where: { Self.isThere(moved + $0) }) {
      name = moved
    }
    for ending in present {
      do {
        try FileOperations.move(file.path + ending, toNew: name + ending)
      } catch {
        throw failure(error)
      }
      // A log must not go while the database is still there, even after a power cut.
      if ending == "" { FileOperations.syncFolder(of: file.path) }
    }
    FileOperations.syncFolder(of: file.path)
    withExtendedLifetime(hold) {}
    return name
  }

  /// Checks that nobody has the database open, and keeps it so.
  ///
  /// - Returns: the hold; nil if there is no file.
  /// - Throws: `OffersError` with `locked` if somebody has it open.
  func requireUnused() throws -> ExclusiveFileLock? {
    guard file.exists else { return nil }
    if let hold = try ExclusiveFileLock.acquire(file.path) { return hold }
    let own = getpid()
    let others = (FileHolder.find(of: file.path) ?? []).filter { $0.pid != own }
    let names = others.map { "\($0.name) (process \($0.pid))" }.joined(separator: ", ")
    throw OffersError(
      .locked,
      "The database \(file.path) is open"
        + (names.isEmpty ? " in this program, or in that of another user." : " in \(names)."),
      hint: "End the programs that use it, then try again. "
        + (isPending
          ? "The copy that is to replace it waits beside it." : "Nothing was changed."))
  }

  /// The names that old files may get, in the order in which they are taken.
  private static func names(_ start: String) -> [String] {
    [start] + (2...100).map { "\(start)-\($0)" }
  }

  private static func isTaken(_ name: String) -> Bool {
    endings.contains { isThere(name + $0) }
  }

  /// Whether the path itself exists, as any kind of file. Links are not followed.
  private static func isThere(_ path: String) -> Bool { status(of: path) != nil }

  /// The time of the last change of a regular file, in Unix seconds; nil if there is none.
  private static func changeTime(of path: String) -> Int? {
    status(of: path).flatMap { $0.isRegular ? $0.changedAt : nil }
  }

  private static func status(of path: String) -> FileStatus? {
    // A path that cannot be looked at is refused when it is renamed.
    (try? FileStatus.find(path, followsLinks: false)) ?? nil
  }

  /// The time in UTC, such as `20261125-001503`.
  private static func stamp(_ seconds: Int) -> String {
    let digits = ISOTime.text(Int64(seconds)).filter(\.isNumber)
    return "\(digits.prefix(8))-\(digits.dropFirst(8))"
  }

  private func failure(_ error: SystemError) -> OffersError {
    OffersError(
      .storageFailed, "Could not replace the database \(file.path): \(error.text).",
      hint: isPending
        ? "Check the folder's permissions. The next opening of the database completes the "
          + "restoration."
        : "Check the folder's permissions, then try again. Nothing was changed.")
  }
}
