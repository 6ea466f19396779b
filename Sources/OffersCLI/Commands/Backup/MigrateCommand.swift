import ArgumentParser
import Foundation
import OffersCore
import OffersSync

/// `offers migrate`
struct MigrateCommand: AsyncParsableCommand, LoggedCommand {
  static let configuration = CommandConfiguration(
    commandName: "migrate",
    abstract: "Copy everything to another database.",
    usage: "offers migrate --to <path> [<options>]",
    discussion: """
      Copies the feeds, offers, changes and sync runs, and all users with their favorites, \
      searches, read marks, passphrases, API tokens and connected logins. The images are fetched \
      again, and people log in again. The definitions of your own feeds stay in their file.

      The target must be empty or not exist. It gets all of the data or none, and the source is \
      only read: after an interruption, run the same command again. Both must be unused: end servers \
      and stop scheduled syncs first, and start them on the target afterwards.

      EXAMPLES
        offers migrate --to postgres://offers@db.example/offers --verify
        offers migrate --to offers.sqlite --database postgres://db.example/offers
      """)

  @Option(
    name: .long,
    help: ArgumentHelp(
      "The database to copy to: a file, or a URL such as postgres://HOST/NAME.",
      valueName: "path"))
  var to: String

  @Flag(
    name: .long, help: "Read the copy afterwards, and compare it with the source byte by byte.")
  var verify = false

  @Flag(name: .long, help: "Print one JSON document.")
  var json = false

  @OptionGroup var format: LogFormatOption
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
    try Output.print(
      json
        ? .data(Self.json(result, to: places.1.name)) : .text(text(result, to: places.1.name)))
  }

  private func text(_ result: Migration.Result, to name: String) -> String {
    let document = result.document
    let parts = [
      Units.count(document.offers, "offer"), Units.count(document.changes, "change"),
      Units.count(document.users, "user"), Units.count(document.favorites, "favorite"),
    ]
    let verb = result.wasThere ? "were there already" : "copied"
    let check = result.isVerified ? "; both databases say the same" : ""
    return DisplayText.oneLine("\(name): \(parts.joined(separator: ", ")) \(verb)\(check)")
  }

  /// `{"target","offers","changes","users","favorites","bytes","copied","verified"}`
  private static func json(_ result: Migration.Result, to name: String) -> String {
    JSONWriter.document { json in
      json.member("target", name)
      json.member("offers", result.document.offers)
      json.member("changes", result.document.changes)
      json.member("users", result.document.users)
      json.member("favorites", result.document.favorites)
      json.member("bytes", result.document.bytes)
      json.member("copied", !result.wasThere)
      json.member("verified", result.isVerified)
    }
  }
}
