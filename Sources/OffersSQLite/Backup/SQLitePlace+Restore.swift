import Foundation
import GRDB
import OffersCore
import OffersPlatform
import OffersStore

extension SQLitePlace {
  /// The copy is made and checked under the write guard, so that nobody writes meanwhile. It is made
  /// by SQLite, so it has the writes that are still in a log beside the backup. See `FileReplacement`.
  package func restore(
    from source: String, copying: @escaping @Sendable (String?) -> Void = { _ in }
  ) async throws -> Restoration {
    try Self.checkTarget(file, of: source)
    let backup = try await OwnThread.run { try Self.findBackup(source) }
    return try await replace(named: source, copying) { copy in
      try Self.copy(backup, named: source, to: copy)
      return nil
    }
  }

  package func salvage(
    from source: String?, copying: @escaping @Sendable (String?) -> Void = { _ in }
  ) async throws -> Restoration {
    let source = source ?? path
    let isOwn = DatabaseFile(path: DatabaseFile.resolve(source)).isSameFile(as: file.path)
    if !isOwn { try Self.checkTarget(file, of: source) }
    let damaged = try await OwnThread.run { try Self.findBackup(source) }
    return try await replace(named: source, copying) { copy in
      let new = try Self.makeNew(copy)
      let summary = try Self.withDamaged(damaged, named: source) { damaged, limitBytes in
        try new.inDatabase { new in
          var salvage = try Salvage(from: damaged, to: new, limitBytes: limitBytes)
          try new.inTransaction {
            try salvage.run()
            return .commit
          }
          return salvage.summary
        }
      }
      try new.close()
      return summary
    }
  }

  /// Whether anything of a damaged database can be salvaged.
  func canBeSalvaged() -> Bool {
    // The error that needs the answer is reported already.
    (try? Self.withDamaged(file, named: path) { damaged, _ in
      try Salvage.checkTables(in: damaged)
    }) != nil
  }

  /// Opens a damaged database as far as possible.
  private static func withDamaged<Result>(
    _ file: DatabaseFile, named source: String,
    _ body: (_ damaged: Database, _ limitBytes: Int) throws -> Result
  ) throws -> Result {
    do {
      let damaged = try DatabaseQueue(
        path: pathForCopying(file), configuration: .offers(isReadOnly: true, isSalvage: true))
      let result = try damaged.unsafeRead { try body($0, file.bytes + file.logBytes) }
      try damaged.close()
      return result
    } catch let error as DatabaseError
      where [.SQLITE_CORRUPT, .SQLITE_NOTADB].contains(error.resultCode)
    {
      throw StorageFailure.loss(error, path: source)
    }
  }

  /// Makes an empty database of this program in an empty file.
  private static func makeNew(_ path: String) throws -> DatabaseQueue {
    let new = try DatabaseQueue(path: path, configuration: .untrustedFile)
    try new.inDatabase { database in
      // An incomplete copy is discarded.
      try database.execute(
        sql: """
          PRAGMA page_size = \(Configuration.pageBytes);
          PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF
          """)
      try SQLiteSchema.migrate(database, path: path, proposesFeed: false)
    }
    return new
  }

  /// Puts a copy in place of the database.
  ///
  /// - Parameters:
  ///   - source: the file that the copy comes from.
  ///   - copying: as in `restore(from:copying:)`.
  ///   - write: writes the copy into a new, empty file.
  private func replace(
    named source: String, _ copying: @escaping @Sendable (String?) -> Void,
    by write: @escaping @Sendable (_ path: String) throws -> SalvageSummary?
  ) async throws -> Restoration {
    let file = file
    let replacement = FileReplacement(file: file)
    do {
      let writeGuard = try await OwnThread.run {
        if file.exists { _ = try replacement.requireUnused() } else { try file.makeFolder() }
        return try WriteGuard(file)
      }
      return try await writeGuard.holdWithoutBlocking(waitSeconds: Self.guardSeconds) {
        try Self.replace(file, named: source, replacement, copying, by: write)
      }
    } catch {
      throw StorageFailure.translate(error, path: path)
    }
  }

  /// The longest wait for a process that is just ending a write, in seconds.
  private static let guardSeconds = 5.0

  /// Checks the header of a backup and of the files beside it.
  private static func findBackup(_ source: String) throws -> DatabaseFile {
    try SQLiteEngine.check(path: source)
    let (file, header) = try DatabaseFile.find(source)
    switch header {
    case .missing:
      throw OffersError(
        .notFound, "There is no backup at \(source).", hint: "Name the file of a backup.")
    case .empty, .blank:
      throw OffersError(
        .storageFailed, "\(source) is an empty database. Nothing was changed.",
        hint: "Name the file of a backup.")
    case .ours, .foreign:
      break
    }
    // SQLite would have to write to the backup to roll the unfinished write back.
    guard DatabaseFile(path: file.path + "-journal").bytes == 0 else {
      throw OffersError(
        .storageFailed,
        "\(source) has an unfinished write beside it, in \(source)-journal. Nothing was changed.",
        hint: "If the backup was complete, move \(source)-journal away, then try again.")
    }
    return file
  }

  /// Refuses to restore a file onto itself.
  private static func checkTarget(_ file: DatabaseFile, of source: String) throws {
    let backup = DatabaseFile(path: DatabaseFile.resolve(source))
    let own = [""] + DatabaseFile.companions
    if own.contains(where: { backup.isSameFile(as: file.path + $0) }) {
      throw OffersError(
        .invalidRequest, "\(source) is the database itself, or a file that belongs to it.",
        hint: "Name the file of a backup.")
    }
    // An opening of the copy in its place reports what cannot be looked at.
    if let status = (try? FileStatus.find(file.path)) ?? nil, !status.isRegular {
      throw OffersError(
        .invalidRequest, "\(file.path) is not a regular file.",
        hint: .chooseDatabase("Name another database."))
    }
  }

  /// Copies the backup, checks the copy, and puts it in place. The caller holds the write guard.
  private static func replace(
    _ file: DatabaseFile, named source: String, _ replacement: FileReplacement,
    _ copying: (String?) -> Void, by write: (_ path: String) throws -> SalvageSummary?
  ) throws -> Restoration {
    // An earlier restoration that was killed after it had been decided comes first.
    try replacement.complete()
    FileOperations.removeFile(replacement.copyPath)
    guard try DatabaseFile(path: replacement.copyPath).create() else {
      throw OffersError(
        .locked,
        "Another program created \(replacement.copyPath), the name of the copy, meanwhile.",
        hint: "Remove that file if nothing uses it, then try again. Nothing was changed.")
    }
    copying(replacement.copyPath)
    defer { copying(nil) }
    let hold: ExclusiveFileLock?
    let salvaged: SalvageSummary?
    do {
      salvaged = try write(replacement.copyPath)
      try checkCopy(replacement.copyPath, of: source)
      try replacement.keepOwner()
      hold = try replacement.requireUnused()
      try replacement.decide()
    } catch {
      FileOperations.removeFile(replacement.copyPath)
      throw error
    }
    let aside = try replacement.complete(holding: hold)
    withExtendedLifetime(hold) {}
    do {
      guard let problem = try findProblem(in: file.path, of: source, isInPlace: true) else {
        return Restoration(
          path: file.path, bytes: file.bytes, aside: aside, salvaged: salvaged,
          foreignSchema: try findForeignSchema(in: file))
      }
      throw unreadable(file, of: source, aside: aside, "is damaged when it is read again", problem)
    } catch let error as OffersError {
      throw error
    } catch {
      throw unreadable(file, of: source, aside: aside, "could not be read again", "\(error)")
    }
  }

  /// The error for a restored database that cannot be read after it was put in place.
  private static func unreadable(
    _ file: DatabaseFile, of source: String, aside: String?, _ state: String, _ cause: String
  ) -> OffersError {
    OffersError(
      .storageFailed,
      "\(source) was restored, but \(file.path) \(state)."
        + (aside.map { " The old database is \($0)." } ?? ""),
      hint: "Check the disk, or restore it on another one.", cause: cause)
  }

  /// Copies a backup into a new, empty file.
  private static func copy(
    _ backup: DatabaseFile, named source: String, to path: String
  ) throws {
    do {
      let from = try DatabaseQueue(
        path: pathForCopying(backup), configuration: .offers(isReadOnly: true))
      let to = try DatabaseQueue(path: path, configuration: SQLiteEngine.copyConfiguration)
      try from.read { source in try to.writeWithoutTransaction { try source.backup(to: $0) } }
      try from.close()
      try to.close()
    } catch let error as DatabaseError {
      let isDamage = [.SQLITE_CORRUPT, .SQLITE_NOTADB].contains(error.resultCode)
      if isDamage, backup.findReadFailure() == nil { throw damaged(source, "\(error)") }
      let isOfBackup =
        isDamage || [.SQLITE_CANTOPEN, .SQLITE_READONLY].contains(error.resultCode)
        || StorageFailure.readingCodes.contains(error.extendedResultCode)
      throw isOfBackup ? StorageFailure.translate(error, path: source) : error
    }
  }

  /// Checks a copy, and syncs it.
  private static func checkCopy(_ path: String, of source: String) throws {
    if let problem = try findProblem(in: path, of: source) { throw damaged(source, problem) }
    do {
      try FileOperations.syncFile(path)
    } catch {
      throw OffersError(
        .storageFailed, "Could not sync the copy \(path): \(error.text). Nothing was changed.",
        hint: "Check the disk and its free space, then try again.")
    }
  }

  /// The path or URI from which a backup is read. A backup without files beside it is opened as
  /// immutable, so that none is made there.
  private static func pathForCopying(_ backup: DatabaseFile) -> String {
    let hasCompanions = DatabaseFile.companions.contains {
      DatabaseFile(path: backup.path + $0).exists
    }
    return hasCompanions ? backup.pathForReading : backup.immutablePath
  }

  /// The first problem of a copy; nil if it is sound. Its constraints are checked before it is in
  /// place.
  ///
  /// - Throws: `OffersError` if it is no database of this program, or of a newer version: the header
  ///   of the backup may be newer in its log.
  private static func findProblem(
    in path: String, of source: String, isInPlace: Bool = false
  ) throws -> String? {
    let file = DatabaseFile(path: path)
    let header = try file.readHeader()
    guard case .ours(let version, _) = header else {
      throw OffersError(
        .storageFailed, "\(source) is not a database of this program. Nothing was changed.",
        hint: "Name the file of a backup.")
    }
    try DatabaseFile.checkVersion(version, path: source)
    do {
      // A copy that is not in place yet is only this program's, and can be opened for writing.
      if !isInPlace, let problem = try Integrity.findProblem(inCopy: path) { return problem }
      let copy = try DatabaseQueue(
        path: file.immutablePath, configuration: .offers(isReadOnly: true))
      let problem = try copy.unsafeRead { database in
        try (isInPlace ? Integrity.problems(in: database, limit: 1).first : nil)
          ?? SchemaObject.missing(in: database, version: version)
          .first { $0.object.kind == "table" }?.problem
      }
      try copy.close()
      return problem
    } catch let error as DatabaseError where error.resultCode != .SQLITE_IOERR {
      return "\(error)"
    }
  }

  /// The parts of a restored database that this program did not create.
  private static func findForeignSchema(in file: DatabaseFile) throws -> [String] {
    let queue = try DatabaseQueue(
      path: file.immutablePath, configuration: .offers(isReadOnly: true))
    let parts = try queue.unsafeRead(SchemaObject.foreign).map(\.description)
    try queue.close()
    return parts
  }

  private static func damaged(_ source: String, _ problem: String) -> OffersError {
    OffersError(
      .storageFailed, "The backup \(source) is damaged. Nothing was changed.",
      hint: Hint(
        "Restore another backup, or save what this one has.",
        command: "offers restore --salvage \(ShellQuoting.word(source))"),
      cause: problem)
  }
}
