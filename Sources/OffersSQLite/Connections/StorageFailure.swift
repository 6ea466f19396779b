import GRDB
import OffersCore

/// Translates SQLite's errors into `OffersError`, with a hint that a person can act on.
enum StorageFailure {
  /// The advice for a damaged file.
  static let damageAdvice = Advice(
    "Restore a backup, or check what can be salvaged", .examine)

  /// The advice for a damaged file in which no table can be found.
  static let lossAdvice = Advice(
    "Restore a backup. Without one, try to recover it with the shell of SQLite", .recover)

  /// Translates an error of a salvage. The usual advice for a damaged file, which suggests a
  /// salvage, is replaced.
  static func translateLoss(_ error: any Error, path: String) -> any Error {
    let error = translate(error, path: path)
    guard let failure = error as? OffersError, failure.advice == damageAdvice else { return error }
    return OffersError(
      failure.code, "None of the tables of \(path) can be found.", advice: lossAdvice,
      cause: failure.cause)
  }

  static func translate(_ error: any Error, path: String) -> any Error {
    guard let failure = error as? DatabaseError else { return error }
    // Only the cancellation of a task interrupts a connection.
    if failure.resultCode == .SQLITE_INTERRUPT { return CancellationError() }
    let cause = "\(failure)"
    func storage(_ message: String, _ advice: Advice) -> OffersError {
      OffersError(.storageFailed, message, advice: advice, cause: cause)
    }
    switch failure.resultCode {
    case .SQLITE_FULL:
      return storage(
        "The disk is full; nothing was changed in \(path).", "Make room, then try again.")
    case .SQLITE_IOERR:
      return storage(
        "The disk could not be read or written; nothing was changed in \(path).",
        "Check the disk and its free space, then try again.")
    case .SQLITE_CORRUPT, .SQLITE_NOTADB:
      return storage(
        "\(path) is damaged or not a database.",
        damageAdvice)
    case .SQLITE_READONLY, .SQLITE_PERM:
      return storage(
        "\(path) or its folder cannot be written.", "Check the permissions of both.")
    case .SQLITE_CANTOPEN:
      return storage(
        "\(path) could not be opened.", "Check the permissions of the file and its folder.")
    case .SQLITE_BUSY, .SQLITE_LOCKED:
      return storage(
        "Another program holds \(path) locked.",
        "Close programs that have it open for writing, then try again.")
    default:
      return storage(
        "The database \(path) reported: \(failure.message ?? failure.resultCode.description).",
        Advice("Try again. If the error remains, check the database", .examine))
    }
  }
}
