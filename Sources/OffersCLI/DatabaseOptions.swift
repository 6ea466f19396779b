import ArgumentParser
import Glibc
import OffersCore
import OffersStore

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
    if let named = option ?? variable("OFFERS_DATABASE") {
      guard !named.isEmpty else {
        throw OffersError(
          .invalidRequest, "The database's path is empty.",
          hint: "Name a file with --database, or unset OFFERS_DATABASE.")
      }
      return named
    }
    // The specification ignores a relative XDG_DATA_HOME.
    if let data = variable("XDG_DATA_HOME"), data.hasPrefix("/") {
      return data + "/offers/offers.sqlite"
    }
    guard let home = variable("HOME"), home.hasPrefix("/") else {
      throw OffersError(
        .invalidRequest, "There is no home folder to keep the database in.",
        hint: "Name a file with --database.")
    }
    return home + "/.local/share/offers/offers.sqlite"
  }

  private static func variable(_ name: String) -> String? {
    getenv(name).map { String(cString: $0) }
  }

  func open(_ access: OffersDatabase.Access) throws -> OffersDatabase {
    try OffersDatabase(path: try path, access: access)
  }
}
