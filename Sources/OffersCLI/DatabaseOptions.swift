import ArgumentParser
import Foundation
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
    get throws {
      let environment = ProcessInfo.processInfo.environment
      if let named = database ?? environment["OFFERS_DATABASE"] {
        guard !named.isEmpty else {
          throw OffersError(
            .invalidRequest, "The database's path is empty.",
            hint: "Name a file with --database, or unset OFFERS_DATABASE.")
        }
        return named
      }
      // The specification ignores a relative XDG_DATA_HOME.
      if let data = environment["XDG_DATA_HOME"], data.hasPrefix("/") {
        return data + "/offers/offers.sqlite"
      }
      guard let home = environment["HOME"], home.hasPrefix("/") else {
        throw OffersError(
          .invalidRequest, "There is no home folder to keep the database in.",
          hint: "Name a file with --database.")
      }
      return home + "/.local/share/offers/offers.sqlite"
    }
  }

  func open(_ access: OffersDatabase.Access) throws -> OffersDatabase {
    try OffersDatabase(path: try path, access: access)
  }
}
