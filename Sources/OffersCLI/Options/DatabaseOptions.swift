import ArgumentParser
import OffersCore

/// The option that names the database of a command: a file, or a database on a server.
struct DatabaseOptions: ParsableArguments {
  @Option(
    name: .long,
    help: ArgumentHelp(
      "The database: a file or a postgres:// URL (default: $OFFERS_DATABASE, else "
        + "offers/offers.sqlite under $XDG_DATA_HOME or ~/.local/share).",
      valueName: "path"))
  var database: String?

  /// The place that the option names, else `OFFERS_DATABASE`, else the default path.
  var place: any StorePlace {
    get throws { try Self.place(named: database) }
  }

  /// The place that the option names, else `OFFERS_DATABASE`, else the default path.
  ///
  /// - Parameters:
  ///   - name: the value of the option; nil if it was not given.
  ///   - option: the name of the option.
  /// - Throws: `OffersError` with `invalidRequest` for a text that names no database, and if there is
  ///   no home folder for the default path.
  static func place(
    named name: String?, option: String = "--database"
  ) throws -> any StorePlace {
    let path = try SettingPath.find(
      option: (name, option), variable: "OFFERS_DATABASE",
      folder: ("XDG_DATA_HOME", ".local/share"), file: "offers/offers.sqlite",
      what: "the database")
    guard let path else {
      throw OffersError(
        .invalidRequest, "There is no home folder to keep the database in.",
        hint: "Name a file with --database.")
    }
    return try StoreLocation.place(named: path.text)
  }

  /// Opens the database of the option; see `open(_:_:)`.
  func open(_ access: StoreAccess) async throws -> any OffersStorage {
    try await Self.open(place, access)
  }

  /// Opens a database. If its schema has parts that this program did not create, such as triggers,
  /// a message says so on a terminal. Without one there is no message, because the user may have added
  /// them, and cron would mail it after each sync.
  ///
  /// - Parameters:
  ///   - place: the place of the database.
  ///   - access: the operations that the command needs. Such parts run with writes only.
  static func open(
    _ place: any StorePlace, _ access: StoreAccess
  ) async throws -> any OffersStorage {
    let database = try await place.open(access)
    if Terminal.isError { tellForeignSchema(database.maintenance?.foreignSchema ?? []) }
    return database
  }

  /// Opens the database for work that only a file allows; otherwise as `open(_:)`.
  ///
  /// - Throws: `OffersError` with `invalidRequest` for a database on a server.
  func openFile(
    _ access: StoreAccess, for work: StoreFileOperation
  ) async throws -> any OffersStorage & StoreMaintenance {
    let database = try await place.fetchFile(for: work).openFile(access)
    if Terminal.isError { Self.tellForeignSchema(database.foreignSchema) }
    return database
  }

  /// Says which parts of a database's schema this program did not create.
  static func tellForeignSchema(_ parts: [String]) {
    if parts.isEmpty { return }
    let names = parts.joined(separator: ", ")
    Output.note(.line("offers: The database has parts that offers did not create: \(names)"))
    Output.note("        They can change, remove or refuse what is stored. See: offers doctor")
  }

  /// Opens the database unless it is missing, otherwise as `open(_:)`.
  ///
  /// - Returns: nil if it is missing.
  func openIfThere(_ access: StoreAccess) async throws -> (any OffersStorage)? {
    let database = try await place.openExisting(access)
    if Terminal.isError { Self.tellForeignSchema(database?.maintenance?.foreignSchema ?? []) }
    return database
  }

  /// Opens the database for writing, without creating a missing one.
  ///
  /// - Throws: `OffersError` with `notFound` if there is none.
  func openExisting() async throws -> any OffersStorage {
    guard let database = try await openIfThere(.readWrite) else { throw try place.missing }
    return database
  }
}
