import GRDB
import OffersCore

/// Turns what SQLite reports into what a person can act on.
enum StorageFailure {
  /// What to do about a damaged file.
  static let damageHint = "Restore a backup, or see what can be saved: offers doctor"

  /// Where not even the tables of a damaged file are found.
  static let lossHint = "Restore a backup. Without one, try: sqlite3 FILE .recover"

  /// The same for whoever saves what can be saved: there is nothing else to be sent to.
  static func translateLoss(_ error: any Error, path: String) -> any Error {
    let error = translate(error, path: path)
    guard let failure = error as? OffersError, failure.hint == damageHint else { return error }
    return OffersError(
      failure.code, "None of the tables of \(path) can be found.", hint: lossHint,
      cause: failure.cause)
  }

  static func translate(_ error: any Error, path: String) -> any Error {
    guard let failure = error as? DatabaseError else { return error }
    // Only who cancels a task interrupts what its connection does.
    if failure.resultCode == .SQLITE_INTERRUPT { return CancellationError() }
    let cause = "\(failure)"
    func storage(_ message: String, _ hint: String) -> OffersError {
      OffersError(.storageFailed, message, hint: hint, cause: cause)
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
        damageHint)
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
        "Try again; if it stays, look it through with: offers doctor")
    }
  }
}
