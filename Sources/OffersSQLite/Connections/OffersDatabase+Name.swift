import OffersCore

extension OffersDatabase {
  /// Refuses an address: as a path it would be a file in folders of its name. A name such as
  /// `file:offers.sqlite` is a file's, and no URI of SQLite: the file is opened by its whole path.
  ///
  /// The message does not repeat the text: an address may have a password in it.
  ///
  /// - Throws: `OffersError` with `invalidRequest`.
  package static func check(path: String) throws {
    guard path.utf8.firstRange(of: "://".utf8) != nil else { return }
    throw OffersError(
      .invalidRequest,
      "The database is named by an address (://). Only the path of a file is taken.",
      hint: "Name a file with --database or OFFERS_DATABASE, such as ./offers.sqlite.")
  }
}
