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

  /// Opens the database. If its schema has parts that this program did not create, such as triggers,
  /// a message says so.
  ///
  /// - Parameters:
  ///   - access: the operations that the command needs. Such parts run with writes only.
  ///   - tellsForeignSchema: whether to print the message. By default it is printed on a terminal, because
  ///     the user may have added them, and cron would mail the message after each sync.
  func open(
    _ access: OffersDatabase.Access, tellsForeignSchema: Bool = Terminal.isError
  ) async throws -> OffersDatabase {
    let database = try await OffersDatabase.open(path: try path, access: access)
    if tellsForeignSchema, !database.foreignSchema.isEmpty {
      let names = DisplayText.oneLine(database.foreignSchema.joined(separator: ", "))
      Output.note("offers: The database has parts that offers did not create: \(names)")
      Output.note("        They can change or remove favorites. See: offers doctor")
    }
    return database
  }

  /// Opens the database for writing, without creating a missing one.
  ///
  /// - Throws: `OffersError` with `notFound` if there is none.
  func openExisting() async throws -> OffersDatabase {
    let path = try path
    guard OffersDatabase.exists(at: path) else { throw OffersDatabase.missing(at: path) }
    return try await open(.readWrite)
  }
}
