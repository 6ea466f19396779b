import ArgumentParser
import OffersCore
import OffersSQLite

/// Which database a command works on.
struct DatabaseOptions: ParsableArguments {
  @Option(
    name: .long,
    help: ArgumentHelp(
      "The database file (default: $OFFERS_DATABASE, else offers/offers.sqlite under "
        + "$XDG_DATA_HOME or ~/.local/share).", valueName: "path"))
  var database: String?

  /// The file the options and the environment name.
  var path: String {
    get throws { try Self.path(named: database) }
  }

  /// The file that an option, if it was given, and the environment name.
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
    try OffersDatabase.check(path: path.text)
    return path.text
  }

  func open(_ access: OffersDatabase.Access) throws -> OffersDatabase {
    try OffersDatabase(path: try path, access: access)
  }
}
