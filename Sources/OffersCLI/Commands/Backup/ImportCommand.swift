import ArgumentParser
import Foundation
import Glibc
import OffersCore
import OffersFeeds
import OffersPlatform
import OffersStore
import OffersSync

struct ImportCommand: AsyncParsableCommand, LoggedCommand {
  static let configuration = CommandConfiguration(
    commandName: "import",
    abstract: "Import the export of another database.",
    usage: "offers import <file> [<options>]",
    discussion: """
      The import is atomic. A feed that the database has never read is taken whole, with its offers \
      and their history, so a new database is that of the export. A feed that it has read stays as it \
      is, since its next sync brings the offers; the import says which feeds these are. Favorites are \
      added, and none is removed. Importing twice has no further effect.

      The data of one user, such as your favorites, becomes yours, or that of --user. The data \
      of several users become those of the users with the same names. Who is missing is added, but \
      never as an admin. Others keep their roles.

      The sources of the imported feeds are printed. Definitions and settings of feeds, and sources \
      that are files or servers in private networks, are left out, unless you accept them as your \
      own; sources that contain variables always are. All else is imported.

      EXAMPLES
        offers import offers.json
        offers import offers.json --accept-sources    your own, on another machine
        offers import ben.json --user ben
        zcat offers.json.gz | offers import -
      """)

  @Argument(help: "A file written by export, or - for standard input.") var file: String

  @Flag(
    help: "Accept its sources and definitions as your own, including files and private networks.")
  var acceptSources = false

  @Flag(.json) var json = false
  @OptionGroup var format: LogFormatOption
  @OptionGroup var former: FormerConfigurationOption
  @OptionGroup var location: UserDatabaseOptions

  var logEntry: LogEntry? { LogEntry("imported", ["file": file]) }

  func run() async throws {
    let place = try location.place
    let choice = try location.choice
    try choice.check(place)
    let bar = ProgressBar(isEnabled: !json)
    defer { bar.clear() }
    if file != "-" { try TransferFileKind.check(file, isFor: .document) }
    let source = try ImportFile(file, folder: place.temporaryFolder) {
      bar.show("import", $0, of: $1, Units.size)
    }
    // The file is read to its end before the database is opened or created, so that an invalid file
    // does neither.
    let feeds = try ImportedFeeds(of: source)
    if feeds.users.count > 1, !choice.isDefault { throw Self.refusal(of: feeds.users) }
    let database = try await choice.bind(place.open(.readWrite))
    if choice.isDefault, feeds.users.count == 1 {
      try await Self.check(feeds.users[0], in: database)
    }
    let counts = try await database.importRecords(
      from: source, feeds: feeds.names, acceptsDefinitions: acceptSources,
      reader: FilterTextParser()
    ) { [acceptSources] in ImportedFeedSource.review($0, isAccepting: acceptSources) }
    bar.clear()
    for source in counts.sources { Output.note(.text(Self.line(source))) }
    if let note = note(onDefinitions: counts.leftOutDefinitions) { Output.note(.line(note)) }
    if let note = note(onChannels: counts.leftOutChannels) { Output.note(.line(note)) }
    for hint in hint(on: counts.sources) { Output.note(.line(hint)) }
    // One user's own data is the usual case.
    let isForeign = counts.users.contains { User.folded($0.name) != User.folded($0.user.name) }
    if counts.users.count > 1 || isForeign {
      for user in counts.users { Output.note(.text(Self.line(user))) }
    }
    try Output.print(json ? .json(Self.document(counts)) : .text(Self.text(counts)))
  }

  /// The error if several users are to be imported for one.
  private static func refusal(of users: [String]) -> OffersError {
    return OffersError(
      .invalidRequest,
      "The document has the data of \(Units.count(users.count, "user")): "
        + named(users, end: "."),
      hint: "Nothing was changed. Leave out --user and unset OFFERS_USER, and each gets their own "
        + "record; or export one alone, with --user there.")
  }

  private static func named(_ names: [String], end: String = "") -> String {
    names.prefix(10).joined(separator: ", ") + (names.count > 10 ? " …" : end)
  }

  /// Refuses the data of one user for the owner if it is probably that of another user here.
  private static func check(_ name: String, in database: OffersDatabase) async throws {
    guard let user = try await database.findUser(named: name), !user.isOwner else { return }
    let owner = try await database.fetchUsers().first { $0.isOwner }?.name ?? ""
    throw OffersError(
      .invalidRequest, "The document has the data of \(name), who is a user here, too.",
      hint:
        "Nothing was changed. Say whose it becomes: add --user \(ShellQuoting.word(user.name)), "
        + "or --user \(ShellQuoting.word(owner))")
  }

  private static func line(_ user: ImportedUser) -> String {
    let name = user.user.name
    let favorites =
      "\(Units.count(user.newFavorites, "new favorite")), \(Units.count(user.sameFavorites)) known"
    var line = "\(name): "
    if user.isNew { line += "added as \(UserSummary.text(user.user.role)), " }
    if User.folded(user.name) != User.folded(name) { line += "\(user.name) of the document, " }
    line += favorites
    if user.isNew, user.role != user.user.role {
      line +=
        "; \(UserSummary.text(user.role)) in the document. To make them one: "
        + "offers user role \(ShellQuoting.word(name)) \(user.role.rawValue)"
    }
    return DisplayText.oneLine(line)
  }

  private static func line(_ source: ImportedFeedSource) -> String {
    let text = source.shownText.prefix(300)
    return DisplayText.oneLine(
      source.refusal.map { "\(source.feed): its source \(text) was left out (\(words(for: $0)))" }
        ?? "\(source.feed): now read from \(text)")
  }

  private static func words(for refusal: ImportedFeedSource.Refusal) -> String {
    switch refusal {
    case .file: "a file"
    case .privateNetwork: "in a private network"
    case .variable: "with a variable"
    case .unreadable: "cannot be read"
    }
  }

  /// The commands that set the sources which the import left out, one line for each reason.
  private func hint(on sources: [ImportedFeedSource]) -> [String] {
    let refusals = Set(sources.compactMap(\.refusal))
    var lines: [String] = []
    if !refusals.isDisjoint(with: [.file, .privateNetwork]) {
      lines.append(
        "Only somebody at this machine may name a file or a private network. If these sources are "
          + "yours: offers import \(ShellQuoting.word(file)) --accept-sources")
    }
    if refusals.contains(.variable) {
      lines.append(
        "Only a definition may have a variable. Write such a source as source: into that of the feed."
      )
    }
    return lines
  }

  /// The part about the feeds that an import left as they were.
  private static func left(_ counts: ImportSummary) -> String {
    let records = [
      Units.count(counts.leftOffers, "offer"), Units.count(counts.leftChanges, "change"),
      Units.count(counts.leftRuns, "sync"),
    ]
    return "left as here: \(named(counts.leftFeeds)), of which the file has "
      + records.joined(separator: ", ")
  }

  /// The note on definitions that were left out; nil for none.
  private func note(onDefinitions feeds: [String]) -> String? {
    if feeds.isEmpty { return nil }
    return
      "The definitions and settings of these feeds were left out, because they name what a sync reads: "
      + Self.named(feeds)
      + ". If they are yours: offers import \(ShellQuoting.word(file)) --accept-sources"
  }

  /// The note on channels that were left out; nil for none.
  private func note(onChannels channels: [String]) -> String? {
    if channels.isEmpty { return nil }
    return
      "These channels were left out, because they name where your news are sent: "
      + Self.named(channels)
      + ". If they are yours: offers import \(ShellQuoting.word(file)) --accept-sources"
  }

  private static func text(_ counts: ImportSummary) -> String {
    var parts = [
      Units.count(counts.newOffers, "new offer"),
      "\(Units.count(counts.newFavorites, "new favorite")), "
        + "\(Units.count(counts.sameFavorites)) known",
      "\(Units.count(counts.newChanges, "change")) of \(Units.count(counts.newRuns, "sync"))",
    ]
    if counts.users.count > 1 {
      let added = counts.users.count { $0.isNew }
      parts.append(
        "\(Units.count(added, "new user")), \(Units.count(counts.users.count - added)) known")
    }
    if counts.newWatches > 0 {
      parts.append("\(counts.newWatches) new watch\(counts.newWatches == 1 ? "" : "es")")
    }
    if counts.newChannels > 0 {
      parts.append("\(Units.count(counts.newChannels, "new channel")) without secrets")
    }
    if !counts.leftFeeds.isEmpty { parts.append(left(counts)) }
    let leftOut = counts.sources.count { $0.refusal != nil }
    if leftOut > 0 { parts.append("\(Units.count(leftOut, "source")) left out") }
    if counts.cutOffers > 0 {
      parts.append(
        "\(Units.count(counts.cutOffers, "offer")) repaired: texts over the limits truncated")
    }
    return parts.joined(separator: "; ")
  }

  /// `mended` counts the new offers whose texts were truncated to `OfferLimits`.
  private static func document(_ counts: ImportSummary) -> JSONObject {
    [
      "offers": ["new": counts.newOffers, "mended": counts.cutOffers] as JSONObject,
      "favorites": favorites(counts.newFavorites, counts.sameFavorites),
      "feeds": counts.newFeeds, "changes": counts.newChanges, "runs": counts.newRuns,
      "left": [
        "feeds": counts.leftFeeds, "offers": counts.leftOffers, "changes": counts.leftChanges,
        "runs": counts.leftRuns,
      ] as JSONObject,
      "watches": counts.newWatches, "channels": counts.newChannels,
      "left_out_channels": counts.leftOutChannels,
      "left_out_definitions": counts.leftOutDefinitions,
      "sources": counts.sources.map { source -> JSONObject in
        [
          "feed": source.feed, "source": source.shownText, "taken": source.origin != nil,
          "left_out_because": source.refusal?.rawValue,
        ]
      },
      "users": counts.users.map { user -> JSONObject in
        [
          "name": user.name, "user": user.user.name, "role": user.user.role.rawValue,
          "new": user.isNew, "favorites": favorites(user.newFavorites, user.sameFavorites),
        ]
      },
    ]
  }

  private static func favorites(_ new: Int, _ known: Int) -> JSONObject {
    ["new": new, "known": known]
  }
}

/// The option `--config` of commands that had it before, with which they say what replaces it.
struct FormerConfigurationOption: ParsableArguments {
  @Option(help: .hidden) var config: String?

  func validate() throws {
    if config != nil {
      throw ValidationError(
        "--config is gone here, since no file of definitions is needed: migrate copies those in the "
          + "database, and import takes those of its document with --accept-sources.")
    }
  }
}

/// The kind of a file that a person gives to `restore` or `import`, by its first bytes.
enum TransferFileKind {
  case database
  case document
  /// Data compressed by gzip, xz or zstd.
  case compressed

  /// Nil for another kind, and for a file that cannot be read, which the command reports.
  init?(of path: String) {
    // Opening a pipe must not block.
    let descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    guard let status = try? FileStatus(of: descriptor), status.isRegular else { return nil }
    var bytes = [UInt8](repeating: 0, count: 64)
    let count = read(descriptor, &bytes, bytes.count)
    guard count > 0 else { return nil }
    let start = bytes[..<count]
    let starts: [[UInt8]] = [[0x1F, 0x8B], [0xFD, 0x37, 0x7A, 0x58], [0x28, 0xB5, 0x2F, 0xFD]]
    if start.starts(with: "SQLite format 3\0".utf8) {
      self = .database
    } else if starts.contains(where: start.starts) {
      self = .compressed
    } else if start.first(where: { !" \t\r\n".utf8.contains($0) && $0 < 0x80 }) == 0x7B {
      self = .document
    } else {
      return nil
    }
  }

  /// Refuses a file that another command takes.
  static func check(_ path: String, isFor kind: TransferFileKind) throws {
    guard let found = TransferFileKind(of: path), found != kind else { return }
    let word = ShellQuoting.word(path)
    let (what, hint) =
      switch (found, kind) {
      case (.database, _):
        ("a database, not an export", "Put it in place with: offers restore \(word)")
      case (.document, _): ("an export, not a backup", "Import it with: offers import \(word)")
      case (.compressed, .document):
        ("compressed", "Decompress it, such as with: zcat \(word) | offers import -")
      case (.compressed, _): ("compressed", "Decompress it first.")
      }
    throw OffersError(.invalidRequest, "\(path) is \(what). Nothing was changed.", hint: hint)
  }
}
