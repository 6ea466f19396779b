import OffersCore

extension OffersDatabase {
  /// Refuses a URL: taken as a path, it would name a file in a folder such as `https:`. A name such
  /// as `file:offers.sqlite` is accepted as a path. SQLite does not take it for a URI, because the
  /// file is opened by its full path.
  ///
  /// The message does not repeat the text, because a URL may contain a password.
  ///
  /// - Throws: `OffersError` with `invalidRequest`.
  package static func check(path: String) throws {
    guard path.utf8.firstRange(of: "://".utf8) != nil else { return }
    throw OffersError(
      .invalidRequest,
      "The database is given as a URL (://). Only the path of a file is accepted.",
      hint: "Name a file, such as ./offers.sqlite.")
  }
}
