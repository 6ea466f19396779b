import ArgumentParser
import Glibc
import OffersCore
import OffersFeeds
import OffersStore

/// The option that names the database of a command: a file, or a database on a server.
struct DatabaseOptions: ParsableArguments {
  @Option(
    help: .value(
      "path",
      "The database: a file or a postgres:// URL (default: $OFFERS_DATABASE, else "
        + "offers/offers.sqlite under $XDG_DATA_HOME or ~/.local/share)."))
  var database: String?

  var place: any StorePlace {
    get throws { try Self.place(named: database) }
  }

  /// The place that the option names, else `OFFERS_DATABASE`, else the default path.
  ///
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

  func open(_ access: OffersDatabase.Access) async throws -> OffersDatabase {
    try await Self.open(place, access)
  }

  /// Opens a database. If its schema has parts that this program did not create, such as triggers,
  /// a message says so on a terminal. Without one there is no message, because the user may have added
  /// them, and cron would mail it after each sync.
  static func open(
    _ place: any StorePlace, _ access: OffersDatabase.Access
  ) async throws -> OffersDatabase {
    let database = try await place.open(access)
    if Terminal.isError { tellForeignSchema(database.maintenance?.foreignSchema ?? []) }
    return database
  }

  /// Opens the database for work that only a file allows; otherwise as `open(_:)`.
  func openFile(
    _ access: OffersDatabase.Access, for work: StoreFileOperation
  ) async throws -> any StoreMaintenance {
    let file = try place.fetchFile(for: work)
    guard let maintenance = try await Self.open(file, access).maintenance else {
      throw file.missing
    }
    return maintenance
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
  func openIfThere(_ access: OffersDatabase.Access) async throws -> OffersDatabase? {
    let database = try await place.openExisting(access)
    if Terminal.isError { Self.tellForeignSchema(database?.maintenance?.foreignSchema ?? []) }
    return database
  }

  /// Opens the database for writing, without creating a missing one.
  func openExisting() async throws -> OffersDatabase {
    guard let database = try await openIfThere(.readWrite) else { throw try place.missing }
    return database
  }
}

/// The options that name the database of a command, and the user whose data in it the command
/// reads and writes.
struct UserDatabaseOptions: ParsableArguments {
  @OptionGroup var location: DatabaseOptions

  @Option(
    help: .value(
      "name",
      "The user whose favorites, searches and read marks are meant (default: $OFFERS_USER, else "
        + "the owner)."))
  var user: String?

  var place: any StorePlace {
    get throws { try location.place }
  }

  var choice: UserChoice {
    get throws { try UserChoice(option: user) }
  }

  func open(_ access: OffersDatabase.Access) async throws -> OffersDatabase {
    try await open(place, access)
  }

  /// As `open(_:)`, for a command that needs the place as well.
  func open(_ place: any StorePlace, _ access: OffersDatabase.Access) async throws -> OffersDatabase
  {
    let choice = try choice
    if access == .readWrite { try choice.check(place) }
    return try await choice.bind(try await DatabaseOptions.open(place, access))
  }

  /// Opens the database with the data of the user for writing. A missing database has none of the
  /// offers that a command names, and creating one would hide a wrong path.
  func openExisting() async throws -> OffersDatabase {
    let choice = try choice
    return try await choice.bind(try await location.openExisting())
  }
}

/// The user whose data a command reads and writes: favorites, recent searches, read marks and
/// notices.
struct UserChoice: Sendable {
  /// The name that was given; nil for the owner of the database.
  private let name: String?

  /// The name of the owner in a new database.
  private static let newOwner = "owner"

  init(option: String? = nil) throws {
    name = option ?? ProcessContext.variable("OFFERS_USER")
    if name?.isEmpty == true {
      throw OffersError(
        .invalidRequest, "The name of the user is empty.",
        hint: "Name a user with --user, or unset OFFERS_USER.")
    }
  }

  /// Whether no user was named, so that it is the owner.
  var isDefault: Bool { name == nil }

  /// Refuses a user of a database that does not exist, before a command creates it: a new one has
  /// only its owner.
  func check(_ place: any StorePlace) throws {
    guard let name, !place.exists, User.folded(name) != Self.newOwner else {
      return
    }
    throw OffersError(
      .notFound, "There is no database yet at \(place.name), and so no user “\(name.prefix(80))”.",
      hint: "Make it as its owner: offers sync --user \(Self.newOwner)")
  }

  /// The user, the owner if none was named.
  func fetchUser(in database: OffersDatabase) async throws -> User {
    guard let name else { return try await database.fetchOwner() }
    return try await database.fetchUser(named: name)
  }

  /// The database with the data of the user, who is looked up only if one was named.
  func bind(_ database: OffersDatabase) async throws -> OffersDatabase {
    guard let name else { return database }
    return database.bound(to: try await database.fetchUser(named: name))
  }
}

/// The option that names the file of the user's own feed definitions, which is never written.
struct ConfigurationOptions: ParsableArguments {
  @Option(
    help: .value(
      "path",
      "Your feed definitions (default: $OFFERS_CONFIG, else offers/feeds.yaml under "
        + "$XDG_CONFIG_HOME or ~/.config)."))
  var config: String?

  var path: SettingPath {
    get throws { try Self.path(named: config) }
  }

  /// The file that the option names, else `OFFERS_CONFIG`, else the default path.
  ///
  /// Without a home folder the default is a path below the root folder. Normally no file exists
  /// there, so that only the shipped feeds are known.
  static func path(named option: String?) throws -> SettingPath {
    try SettingPath.find(
      option: (option, "--config"), variable: "OFFERS_CONFIG",
      folder: ("XDG_CONFIG_HOME", ".config"), file: "offers/feeds.yaml", what: "the definitions")
      ?? SettingPath(text: "/.config/offers/feeds.yaml", origin: .standard)
  }
}

extension CompletionKind {
  /// The names of feeds: the shipped ones, the user's own, and those that stand only in a database file. The shipped
  /// ones are offered even if the others cannot be read. A server is not asked, because it may take long to answer.
  static var feeds: CompletionKind {
    .custom { (words: [String], _: Int, _: String) async -> [String] in await feedNames(words) }
  }

  /// The names of feeds that a command line can name.
  static func feedNames(_ words: [String]) async -> [String] {
    func value(of option: String) -> String? {
      words.firstIndex(of: option).flatMap { words.dropFirst($0 + 1).first }
    }
    let own = (try? ConfigurationOptions.path(named: value(of: "--config")).load()) ?? .shipped
    let place = try? DatabaseOptions.place(named: value(of: "--database"))
    let isServer = place?.name.contains("://") ?? true
    let database = isServer ? nil : (try? await place?.openExisting(.readOnly)) ?? nil
    let subscribed = (try? await database?.fetchFeeds().map(\.name)) ?? []
    let stored = (try? await database?.fetchDefinitions()) ?? []
    return Set(own.including(stored).names + subscribed).sorted()
  }
}

extension SettingPath {
  /// Loads the shipped feeds and those of the user's file.
  ///
  /// If the option or `OFFERS_CONFIG` names a file that does not exist, there are only the shipped
  /// feeds, and the error about another feed mentions the file.
  func load() throws -> FeedConfiguration { try configuration(reading: try read()) }

  /// Loads the shipped feeds, those of the user's file, and those that a database keeps; nil for no database.
  func load(from database: OffersDatabase?) async throws -> FeedConfiguration {
    try load().including(await database?.fetchDefinitions() ?? [])
  }

  /// The shipped feeds and those that the given content of the file defines.
  func configuration(reading yaml: String?) throws -> FeedConfiguration {
    guard let yaml else {
      return isNamed ? .shipped(without: text) : .shipped
    }
    return try FeedConfiguration(yaml: yaml, name: text)
  }

  /// How the offers of each feed of a database are shown. A command that only reads offers does not
  /// depend on the user's definitions: if they cannot be loaded, those of the shipped feeds apply, and
  /// what the database keeps.
  func presentations(
    of feed: String? = nil, in database: OffersDatabase
  ) async throws -> FeedPresentations {
    let stored = try await database.fetchPresentations()
    let definitions = try await database.fetchDefinitions()
    let names = Set(stored.keys)
    // A definition that is invalid is reported by the commands that need it, and by the doctor.
    let configuration = ((try? load()) ?? .shipped).including(definitions)
    let known = (try? configuration.shownFeeds(besides: names, of: feed)) ?? []
    return FeedPresentations(known, stored: stored)
  }

  func read() throws -> String? { try TextFile.read(text) }
}

/// The path of a file that an option, an environment variable, or the XDG Base Directory
/// Specification determines.
struct SettingPath: Sendable {
  let text: String
  /// How the file was chosen.
  enum Origin: Sendable {
    case option, variable, standard
  }

  let origin: Origin

  /// True if the user named the file by an option or a variable.
  var isNamed: Bool { origin != .standard }

  init(text: String, origin: Origin) {
    self.text = text
    self.origin = origin
  }

  /// The path that the user named, else the default of the specification; nil if there is no home
  /// folder for the default.
  static func find(
    option: (value: String?, name: String), variable: String,
    folder: (variable: String, inHome: String), file: String, what: String
  ) throws -> SettingPath? {
    if let named = option.value ?? ProcessContext.variable(variable) {
      guard !named.isEmpty else {
        throw OffersError(
          .invalidRequest, "The path of \(what) is empty.",
          hint: "Name a file with \(option.name), or unset \(variable).")
      }
      return SettingPath(text: named, origin: option.value == nil ? .variable : .option)
    }
    return base(folder.variable, inHome: folder.inHome).map {
      SettingPath(text: "\($0)/\(file)", origin: .standard)
    }
  }

  /// The absolute path in a variable of the specification, else the default in the home folder; nil
  /// without a home folder. A relative path counts as unset, as the specification requires.
  private static func base(_ variable: String, inHome: String) -> String? {
    func absolute(_ name: String) -> String? {
      ProcessContext.variable(name).flatMap { $0.hasPrefix("/") ? $0 : nil }
    }
    return absolute(variable) ?? absolute("HOME").map { "\($0)/\(inHome)" }
  }

  /// The folder with the settings of all programs: `$XDG_CONFIG_HOME`, else `~/.config`.
  static func configurationFolder() throws -> String {
    if let folder = base("XDG_CONFIG_HOME", inHome: ".config") { return folder }
    throw OffersError(
      .invalidRequest, "There is no home folder to keep settings in.", hint: "Set HOME.")
  }

  /// The absolute form of a path, by the working directory. Neither symbolic links nor `..` are
  /// resolved.
  static func absolute(_ path: String) -> String {
    if path.utf8.first == UInt8(ascii: "/") { return path }
    guard let pointer = getcwd(nil, 0) else { return path }
    defer { free(pointer) }
    return String(cString: pointer) + "/" + path
  }
}
