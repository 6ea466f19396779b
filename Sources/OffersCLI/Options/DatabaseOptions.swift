import ArgumentParser
import OffersCore
import OffersSQLite

/// The option that names the database file of a command.
struct DatabaseOptions: ParsableArguments {
  @Option(
    name: .long,
    help: ArgumentHelp(
      "The database file (default: $OFFERS_DATABASE, else offers/offers.sqlite under "
        + "$XDG_DATA_HOME or ~/.local/share).", valueName: "path"))
  var database: String?

  /// The file that the option names, else `OFFERS_DATABASE`, else the default path.
  var path: String {
    get throws { try Self.path(named: database) }
  }

  /// The file that the option names, else `OFFERS_DATABASE`, else the default path.
  ///
  /// - Parameter option: the value of `--database`; nil if it was not given.
  /// - Throws: `OffersError` with `invalidRequest` for an empty path or a URL, and if there is no
  ///   home folder for the default path.
  static func path(named option: String?) throws -> String {
    let path = try SettingPath.find(
      option: (option, "--database"), variable: "OFFERS_DATABASE",
      folder: ("XDG_DATA_HOME", ".local/share"), file: "offers/offers.sqlite",
      what: "the database")
    guard let path else {
      throw OffersError(
        .invalidRequest, "There is no home folder to keep the database in.",
        hint: "Name a file with --database.")
    }
    do {
      try OffersDatabase.check(path: path.text)
    } catch let error as OffersError {
      throw OffersError(
        error.code, error.message,
        hint: "Name a file with --database or OFFERS_DATABASE, such as ./offers.sqlite.")
    }
    return path.text
  }

  func open(_ access: OffersDatabase.Access) async throws -> OffersDatabase {
    try await OffersDatabase.open(path: try path, access: access)
  }
}
