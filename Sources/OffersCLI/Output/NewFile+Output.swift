import OffersCore
import OffersSQLite

extension NewFile {
  /// The file that a command writes what it prints to.
  ///
  /// - Parameters:
  ///   - isPublic: whether others may read one that takes no other's place, as the umask says.
  ///   - database: the database in use. Neither it nor another one is replaced.
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
