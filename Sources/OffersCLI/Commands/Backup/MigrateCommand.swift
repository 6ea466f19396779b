import ArgumentParser
import Foundation
import OffersCore
import OffersStore
import OffersSync

struct MigrateCommand: AsyncParsableCommand, LoggedCommand {
  static let configuration = CommandConfiguration(
    commandName: "migrate",
    abstract: "Copy everything to another database.",
    usage: "offers migrate --to <path> [<options>]",
    discussion: """
      Copies the feeds, offers, changes and sync runs, and all users with their favorites, \
      searches, read marks, watches, notices, channels, passphrases, API tokens and connected logins. \
      The images are fetched again, and people log in again. The definitions of your own feeds stay in \
      their file, and so do the secrets of channels.

      The target must be empty or not exist. It gets all of the data or none, and the source is \
      only read: after an interruption, run the same command again. Both must be unused: end servers \
      and stop scheduled syncs first, and start them on the target afterwards.

      EXAMPLES
        offers migrate --to postgres://offers@db.example/offers --verify
        offers migrate --to offers.sqlite --database postgres://db.example/offers
      """)

  @Option(
    help: .value("path", "The database to copy to: a file, or a URL such as postgres://HOST/NAME."))
  var to: String

  @Flag(help: "Read the copy afterwards, and compare it with the source byte by byte.")
  var verify = false

  @Flag(.json) var json = false
  @OptionGroup var format: LogFormatOption
  @OptionGroup var former: FormerConfigurationOption
  @OptionGroup var location: DatabaseOptions

  var logEntry: LogEntry? { LogEntry("migrated") }

  func run() async throws {
    let places = (try location.place, try DatabaseOptions.place(named: to, option: "--to"))
    guard places.0.name != places.1.name else {
      throw OffersError(
        .invalidRequest, "The source and the target are the same database.",
        hint: "Name another one with --to.")
    }
    guard places.0.exists else { throw places.0.missing }
    let bar = ProgressBar(isEnabled: !json)
    defer { bar.clear() }
    try await places.0.requireUnused()
    if places.1.exists { try await places.1.requireUnused() }
    let source = try await places.0.open(.readOnly)
    let target = try await places.1.open(.readWrite)
    let migration = Migration(
      source: source, target: target, folder: places.0.temporaryFolder)
    let version = try await source.fetchDataVersion()
    let result = try await migration.run(verifies: verify, bar)
    // A program that was started meanwhile may have written to the source.
    guard try await source.fetchDataVersion() == version else {
      throw OffersError(
        .locked, "The source was changed while it was copied, and the copy may lack that.",
        hint: "End the programs that use it, remove the copy, and migrate again.")
    }
    try await source.close()
    try await target.close()
    bar.clear()
    let name = places.1.name
    try Output.print(
      json ? .json(Self.document(result, to: name)) : .line(Self.text(result, to: name)))
  }

  private static func text(_ result: Migration.Result, to name: String) -> String {
    let document = result.document
    let parts = [
      Units.count(document.offers, "offer"), Units.count(document.changes, "change"),
      Units.count(document.users, "user"), Units.count(document.favorites, "favorite"),
    ]
    let verb = result.wasThere ? "were there already" : "copied"
    let check = result.isVerified ? "; both databases say the same" : ""
    return "\(name): \(parts.joined(separator: ", ")) \(verb)\(check)"
  }

  private static func document(_ result: Migration.Result, to name: String) -> JSONObject {
    let document = result.document
    return [
      "target": name, "offers": document.offers, "changes": document.changes,
      "users": document.users, "favorites": document.favorites, "bytes": document.bytes,
      "copied": !result.wasThere, "verified": result.isVerified,
    ]
  }
}

/// Copies a store to an empty one by way of an export in a temporary file.
///
/// The export is imported in one transaction, and what no export contains in two others: the logins, and the notices and
/// deliveries. A run that was interrupted in between is continued by the next one, which finds a target that
/// says what the source says, and has no other logins.
struct Migration {
  struct Result: Sendable {
    let document: ExportSummary
    /// Whether the target had all of it before.
    let wasThere: Bool
    let isVerified: Bool
  }

  let source: OffersDatabase
  let target: OffersDatabase
  let folder: String

  /// Copies the data, unless the target has all of it, and the logins.
  ///
  /// - Throws: `OffersError`: `invalidRequest` for a target with other data or logins, `storageFailed` if the
  ///   target differs after the copy, otherwise as the export and the import.
  func run(verifies: Bool, _ bar: ProgressBar) async throws -> Result {
    let spool = try SpoolFile(folder: folder)
    let (document, hash) = try await Self.export(source, bar, "read") { try spool.append($0) }
    let isNew = try await isTargetNew()
    if isNew {
      let file = ImportFile(spool, bytes: document.bytes) {
        bar.show("write", $0, of: $1, Units.size)
      }
      let feeds = try ImportedFeeds(of: file)
      let sources = try await namedSources(of: feeds.names)
      _ = try await target.importRecords(
        from: file, feeds: feeds.names, trustsRoles: true, acceptsDefinitions: true
      ) { imported in
        imported.map { ImportedFeedSource(feed: $0.feed, text: $0.text, origin: sources[$0.feed]) }
      }
    }
    if verifies || !isNew {
      let copy = try await Self.export(target, bar, "verify") { _ in }
      guard copy == (document, hash) else { throw difference(isNew: isNew) }
    }
    let logins = try await source.fetchLogins()
    if !isNew {
      let known = Dictionary(uniqueKeysWithValues: logins.map { ($0.name, $0) })
      let others = try await target.fetchLogins().filter { known[$0.name]?.includes($0) != true }
      guard others.isEmpty else { throw otherLogins(of: others.map(\.name)) }
    }
    try await target.putLogins(logins)
    try await target.putOutbox(try await source.fetchOutbox())
    return Result(document: document, wasThere: !isNew, isVerified: verifies || !isNew)
  }

  /// Whether the target has no data, no definitions, no watch or channel, and no user but its owner.
  private func isTargetNew() async throws -> Bool {
    let counts = try await target.countEverything()
    guard counts == StoreCounts(offers: 0, favorites: 0, changes: 0, runs: 0) else { return false }
    guard try await target.fetchDefinitions().isEmpty, try await target.fetchOutbox().isEmpty
    else { return false }
    return try await target.fetchUsers().count == 1
  }

  /// The origins of the sources that users named; the same trust goes on in the target.
  private func namedSources(of feeds: [String]) async throws -> [String: SourceOrigin] {
    var origins: [String: SourceOrigin] = [:]
    for feed in feeds {
      origins[feed] = try await source.findSyncState(of: feed)?.source?.origin ?? .remote
    }
    return origins
  }

  private func difference(isNew: Bool) -> OffersError {
    if isNew {
      return OffersError(
        .storageFailed, "The copy in \(target.place) differs from the source.",
        hint: "Keep the source, and report this: it is a fault of the program.")
    }
    return OffersError(
      .invalidRequest, "\(target.place) has other data than the source.",
      hint: "Nothing was changed. Name an empty database. To add it to another database: "
        + "offers export --all-users, then offers import")
  }

  /// The error for a target that has passphrases, API tokens or identities that the source does not have.
  private func otherLogins(of users: [String]) -> OffersError {
    OffersError(
      .invalidRequest,
      "\(target.place) has other logins than the source, of \(users.joined(separator: ", ")).",
      hint:
        "Nothing was changed. Name an empty database, or remove there the passphrases, API tokens and "
        + "connections that the source does not have.")
  }

  /// Exports a store.
  ///
  /// - Returns: also the hash of the export, by which two exports are compared.
  private static func export(
    _ store: OffersDatabase, _ bar: ProgressBar, _ work: String,
    _ append: @escaping @Sendable (UnsafeRawBufferPointer) throws -> Void
  ) async throws -> (ExportSummary, hash: [UInt8]) {
    try await store.export(favoritesOnly: false, allUsers: true) { records in
      let total = try records.countRecords() ?? 0
      var hash = DocumentHash()
      let summary = try ExportSummary(
        writing: { piece in
          hash.update(piece)
          try append(piece)
        },
        progress: { if $0 % 1000 == 0 { bar.show(work, $0, of: total) { Units.count($0) } } }
      ) { add in
        try records.forEachRecord(add)
      }
      return (summary, hash.finish())
    }
  }
}
