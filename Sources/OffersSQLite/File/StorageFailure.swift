import Foundation
import GRDB
import GRDBSQLite
import OffersCore
import OffersPlatform

/// Translates SQLite's errors into `OffersError`: what failed, with the system's reason, what is
/// known of the state, and what a person can do.
enum StorageFailure {
  /// The hint for a damaged file.
  static let damageHint = Hint(
    "Restore a backup, or check what can be salvaged.", command: "offers doctor")

  /// The hint for a damaged file whose tables can be read.
  static let salvageHint = Hint("Save what there is.", command: "offers restore --salvage")

  /// The hint for a damaged file in which no table can be found.
  static let lossHint = Hint(
    "Restore a backup. Without one, try to recover it with the shell of SQLite.",
    command: "sqlite3 FILE .recover")

  /// The error for a damaged file in which no table can be found.
  static func loss(_ error: DatabaseError, path: String) -> any Error {
    let error = translate(error, path: path)
    guard let failure = error as? OffersError, failure.hint == damageHint else { return error }
    return OffersError(
      failure.code, "None of the tables of \(path) can be found.", hint: lossHint,
      cause: failure.cause)
  }

  /// Runs work on a connection and translates its errors, with the system's reason that the
  /// connection knows. https://sqlite.org/c3ref/system_errno.html
  ///
  /// - Parameter mayBeStored: as in `translate`, asked after a failure.
  static func translating<Result>(
    _ database: Database, path: String, mayBeStored: () -> Bool = { false },
    _ body: () throws -> Result
  ) throws -> Result {
    let begun = ContinuousClock.now
    do {
      return try body()
    } catch {
      try checkVersion(after: error, database, path: path)
      throw translate(
        error, path: path, reason: reason(database.sqliteConnection),
        mayBeStored: mayBeStored(), since: begun)
    }
  }

  /// Refuses a database that a newer program has migrated while it was open here, if a statement may have
  /// failed because of that.
  ///
  /// - Throws: `OffersError` with `newerDatabase`.
  private static func checkVersion(
    after error: any Error, _ database: Database, path: String
  ) throws {
    let codes: [ResultCode] = [.SQLITE_ERROR, .SQLITE_CONSTRAINT, .SQLITE_MISMATCH]
    let isOfSchema = (error as? DatabaseError).map { codes.contains($0.resultCode) }
    // A file whose version cannot be read has another error to report.
    guard isOfSchema ?? (error is RowDecodingError),
      let version = try? Int.fetchOne(database, sql: "PRAGMA user_version")
    else { return }
    try DatabaseFile.checkVersion(version, path: path)
  }

  /// The value of `errno` of a connection's last failed call, or of that on its log or its file; 0
  /// if there is none.
  private static func reason(_ connection: OpaquePointer?) -> Int32 {
    let last = sqlite3_system_errno(connection)
    if last != 0 { return last }
    for pointer in [SQLITE_FCNTL_JOURNAL_POINTER, SQLITE_FCNTL_FILE_POINTER] {
      var file: UnsafeMutablePointer<sqlite3_file>?
      sqlite3_file_control(connection, "main", pointer, &file)
      var number: Int32 = 0
      if let file, let control = file.pointee.pMethods?.pointee.xFileControl {
        _ = control(file, SQLITE_FCNTL_LAST_ERRNO, &number)
      }
      if number != 0 { return number }
    }
    return 0
  }

  /// Translates an error; one that is not SQLite's stays as it is.
  ///
  /// - Parameters:
  ///   - error: the error.
  ///   - path: the database.
  ///   - reason: the value of `errno`, of interest for an error of input or output; 0 if unknown.
  ///   - mayBeStored: whether the commit failed after its record may have reached the log. The change is
  ///     stored if the log is recovered, such as after a crash, before the next write.
  ///   - begun: when the operation began, for the message about one that waited in vain.
  static func translate(
    _ error: any Error, path: String, reason: Int32 = 0, mayBeStored: Bool = false,
    since begun: ContinuousClock.Instant? = nil
  ) -> any Error {
    if error is RowDecodingError {
      return OffersError(
        .storageFailed, "\(path) is damaged: a value is not of the type of its column.",
        hint: damageHint, cause: "\(error)")
    }
    guard let failure = error as? DatabaseError else { return error }
    // Only the cancellation of a task interrupts a connection.
    if failure.resultCode == .SQLITE_INTERRUPT { return CancellationError() }
    let cause = "\(failure)"
    func storage(_ message: String, _ hint: Hint) -> OffersError {
      OffersError(.storageFailed, message, hint: hint, cause: cause)
    }
    switch failure.resultCode {
    case .SQLITE_FULL:
      return storage(
        "The disk is full; nothing was changed in \(path).", "Make room, then try again.")
    case .SQLITE_IOERR:
      return ioFailure(failure, path, reason, mayBeStored: mayBeStored)
    case .SQLITE_CORRUPT, .SQLITE_NOTADB:
      if let number = DatabaseFile(path: DatabaseFile.resolve(path)).findReadFailure() {
        return ioFailure(
          DatabaseError(resultCode: .SQLITE_IOERR_READ), path, number, mayBeStored: mayBeStored)
      }
      return storage(
        "\(path) is damaged or not a database.",
        damageHint)
    case .SQLITE_READONLY, .SQLITE_PERM:
      return storage(
        "\(path) or its folder cannot be written.", "Check the permissions of both.")
    case .SQLITE_CANTOPEN:
      return openingFailure(path, FileOperations.openingFailure()?.number ?? reason, cause)
    case .SQLITE_NOMEM:
      return storage(
        "There is not enough memory to use \(path). Nothing was changed.",
        .failure(ENOMEM, otherwise: ""))
    case .SQLITE_BUSY, .SQLITE_LOCKED, .SQLITE_PROTOCOL:
      // A reader meets SQLITE_PROTOCOL when another process stands still while it sets up the log's
      // shared memory. https://sqlite.org/rescode.html#protocol
      let holder = BlockingProcess.find(on: path)
      return storage(
        BlockingProcess.message(holder, path: path, since: begun), BlockingProcess.hint(holder))
    default:
      return storage(
        "The database \(path) reported: \(failure.message ?? failure.resultCode.description).",
        Hint(
          "Try again. If the error remains, check the database.", command: "offers doctor"))
    }
  }

  /// The error for a file that could not be opened. If the system's reason is not known any more, the
  /// permissions are looked at.
  private static func openingFailure(_ path: String, _ reason: Int32, _ cause: String)
    -> OffersError
  {
    let file = DatabaseFile(path: DatabaseFile.resolve(path))
    let isAllowed =
      FileAccess.reading.isGranted(file.path) && FileAccess.writing.isGranted(file.folder)
    if reason == 0, isAllowed {
      return OffersError(
        .storageFailed, "\(path) could not be opened, although you may do so. Nothing was changed.",
        hint: .failure(EMFILE, otherwise: ""), cause: cause)
    }
    return OffersError(
      .storageFailed,
      "\(path) could not be opened"
        + (reason == 0 ? "." : ": \(SystemError(reason, "open").text). Nothing was changed."),
      hint: .failure(reason, otherwise: "Check the permissions of the file and its folder."),
      cause: cause)
  }

  /// The error for a failed call of the system.
  private static func ioFailure(
    _ failure: DatabaseError, _ path: String, _ reason: Int32, mayBeStored: Bool
  ) -> OffersError {
    let code = failure.extendedResultCode
    let isShared = sharedMemory.contains(code)
    let isFull =
      [ENOSPC, EDQUOT].contains(reason) || isShared && DatabaseFile(path: path).isDiskFull
    let cause = "\(failure), errno \(reason)"
    let what =
      isFull
      ? "The disk is full" + (isShared ? ", so \(path)-shm could not be made" : "")
      : "\(isShared ? path + "-shm" : path) could not be \(verb(of: code)): "
        + (reason == 0 ? "an error of the disk" : SystemError(reason, "open").text)
    // The record of the commit is written last, so it is incomplete if there was no room for it.
    let isIncomplete = code == .SQLITE_IOERR_WRITE && [ENOSPC, EDQUOT, EFBIG].contains(reason)
    if mayBeStored, !isIncomplete {
      return OffersError(
        .storageFailed, "\(what). The change may or may not have been stored in \(path).",
        hint: """
          Check the disk and its free space, then look whether the change is there before you repeat it.
          """,
        cause: cause)
    }
    return OffersError(
      .storageFailed,
      isFull ? "\(what); nothing was changed in \(path)." : "\(what). Nothing was changed.",
      hint: .failure(
        isFull ? ENOSPC : reason,
        otherwise: "Check the disk and its free space, then try again."),
      cause: cause)
  }

  /// The errors of SQLite's `-shm` file, the index of the log.
  private static let sharedMemory: [ResultCode] = [
    .SQLITE_IOERR_SHMOPEN, .SQLITE_IOERR_SHMSIZE, .SQLITE_IOERR_SHMLOCK, .SQLITE_IOERR_SHMMAP,
  ]

  /// The errors of reading a file. The last one is `SQLITE_IOERR_CORRUPTFS`.
  static let readingCodes: [ResultCode] = [
    .SQLITE_IOERR_READ, .SQLITE_IOERR_SHORT_READ, ResultCode(rawValue: 8458),
  ]

  /// The failed operation, as a participle.
  private static func verb(of code: ResultCode) -> String {
    if readingCodes.contains(code) { return "read" }
    return switch code {
    case .SQLITE_IOERR_WRITE: "written"
    case .SQLITE_IOERR_FSYNC, .SQLITE_IOERR_DIR_FSYNC: "synced to the disk"
    case .SQLITE_IOERR_TRUNCATE: "truncated"
    case .SQLITE_IOERR_LOCK, .SQLITE_IOERR_UNLOCK, .SQLITE_IOERR_RDLOCK, .SQLITE_IOERR_SHMLOCK,
      .SQLITE_IOERR_CHECKRESERVEDLOCK:
      "locked"
    case .SQLITE_IOERR_DELETE: "removed"
    default: "used"
    }
  }
}

extension Hint {
  /// The hint for a failed call of the system on a database's file.
  ///
  /// - Parameters:
  ///   - number: the value of `errno`.
  ///   - otherwise: the hint for a matter of permissions or of the path.
  static func failure(_ number: Int32, otherwise: Hint) -> Hint {
    switch number {
    case ENOSPC, EDQUOT: "Make room, then try again."
    case EIO: "The disk may be failing. Check it and its cable or network, then try again."
    case EMFILE, ENFILE: .allowOpenFiles
    case ENOMEM: "Close other programs, then try again."
    default: otherwise
    }
  }
}

/// Finds and names the process that keeps others from reading or writing a database, such as one that
/// was stopped in the middle of its work.
enum BlockingProcess {
  /// The process that holds an exclusive lock of a database: on the log's shared memory, on the file,
  /// or the write guard. A stopped one comes first. Nil if none is visible to this user.
  static func find(on path: String) -> LockHolder? {
    let path = DatabaseFile.resolve(path)
    let kinds: [(String, LockHolder.Kind)] = [
      (path + "-shm", .process), (path, .process),
      (DatabaseFile(path: path).lockPath, .openFile),
    ]
    let holders = kinds.flatMap { LockHolder.find(on: $0, $1) ?? [] }
      .filter { $0.pid != getpid() }
    return holders.first(where: \.isStopped) ?? holders.first
  }

  /// A sentence that says which process holds the lock of the database, and since when.
  ///
  /// - Parameters:
  ///   - holder: the process; nil if it is not known.
  ///   - path: the database's path.
  ///   - begun: when the wait for it began; nil if that is not known.
  static func message(
    _ holder: LockHolder?, path: String, since begun: ContinuousClock.Instant?
  ) -> String {
    let seconds = begun.map { Int((ContinuousClock.now - $0) / .seconds(1)) } ?? 0
    let wait = seconds > 0 ? " for \(Units.count(seconds, "second"))" : ""
    guard let holder else { return "Another program has held \(path) locked\(wait)." }
    let name = "Another process, \(holder.name) (\(holder.pid)),"
    return holder.isStopped
      ? "\(name) is stopped and has held \(path) locked\(wait)."
      : "\(name) has held \(path) locked\(wait)."
  }

  static func hint(_ holder: LockHolder?) -> Hint {
    guard let holder else {
      return "Close programs that have it open for writing, then try again. Nothing was changed."
    }
    return holder.isStopped
      ? Hint(
        "Nothing was changed. End it or let it go on, then try again.",
        command: "kill -CONT \(holder.pid)")
      : "Wait for it or end it, then try again. Nothing was changed."
  }
}
