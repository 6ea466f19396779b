import OffersCore
import SQLiteMigrations

/// The refusals of files that this program must not use.
extension DatabaseFile {
  /// Refuses a file of another program or of a newer version of this one, by its header.
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
      advice: .chooseDatabase("Name another file."))
  }

  /// Refuses a version that is newer than this program, or older than the first migration.
  static func checkVersion(_ version: Int, path: String) throws {
    if version < 0 { throw foreignFile(path) }
    if (1..<SQLiteMigrations.firstNumber).contains(version) { throw OlderDatabase.refusal(path) }
    guard version > SQLiteMigrations.currentVersion else { return }
    throw OffersError(
      .newerDatabase,
      "\(path) was written by a newer version of offers (schema \(version), this one knows "
        + "\(SQLiteMigrations.currentVersion)). It was left untouched.",
      advice: .chooseDatabase("Install the newer version, or name another file."))
  }
}
