import OffersCore
import OffersSQLite

extension NewFile {
  /// Creates the file for the `--output` option of a command.
  ///
  /// - Parameters:
  ///   - output: the value of the option.
  ///   - isPublic: whether a file that replaces none has the permissions that the umask leaves,
  ///     instead of mode 0600.
  ///   - database: the database that the command uses. Neither it nor another database of this
  ///     program is replaced, nor are their companion files, or any database with a log or journal.
  /// - Throws: `OffersError` with `invalidRequest` for a database, otherwise as
  ///   `init(replacing:isPublic:hint:)`.
  convenience init(output: String, isPublic: Bool = false, beside database: OffersDatabase) throws {
    guard case let target = try database.backupTarget(output), target == .free || target == .other
    else {
      throw OffersError(
        .invalidRequest, "\(output) is a database. It was left untouched.",
        hint: "Name another file. To copy a database: offers backup FILE")
    }
    try self.init(
      replacing: output, isPublic: isPublic,
      hint: "Check the folder, its permissions and its free space.")
  }
}
