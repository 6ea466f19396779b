import ArgumentParser
import Foundation
import OffersCore
import OffersFeeds
import OffersServer

/// `offers token add`
struct TokenAddCommand: AsyncParsableCommand, LoggedCommand {
  static let configuration = CommandConfiguration(
    commandName: "add",
    abstract: "Make an API token, and print it once.",
    usage: "offers token add <name> [<options>]",
    discussion: """
      The token is printed on standard output; only its SHA-256 is stored. The scopes are read; \
      favorites, which also stars; sync, which also syncs and adds feeds; and admin. A running \
      server accepts the token at once.

      EXAMPLES
        offers token add "home automation"
        offers token add backup --scope sync --expires 90d > backup-token
      """)

  @Argument(help: "A name for the token, to revoke it by.")
  var name: String

  @Option(
    name: .long,
    help: ArgumentHelp("What it may do: read, favorites, sync or admin.", valueName: "scope"),
    completion: .list(Right.allCases.map(\.rawValue)))
  var scope = Right.read.rawValue

  @Option(
    name: .long, parsing: .unconditional,
    help: ArgumentHelp("When it expires, such as 90d or 52w, or never.", valueName: "time"))
  var expires = "never"

  @Flag(name: .long, help: "Print one JSON document.")
  var json = false

  @OptionGroup var record: UserRecordOptions

  var logEntry: LogEntry? { LogEntry("token added", ["name": name, "scope": scope]) }

  func run() async throws {
    let scope: Right = try NamedChoice.find(scope, what: "scope", title: "Scopes")
    let now = Date()
    let seconds = expires == "never" ? nil : try PeriodStart.seconds(parsing: expires)
    let database = try await record.location.openExisting()
    let user = try await record.choice.fetchUser(in: database)
    let text = try APITokenText.make()
    let token = try await database.addToken(
      APIToken(
        id: 0, user: user.id, name: name, scope: scope, createdAt: now,
        expiresAt: seconds.map { now + $0 }),
      hash: try APITokenText.hash(of: text))
    if json {
      return try Output.printData(
        JSONWriter.document { json in
          json.member("token", text)
          json.writeMembers(of: token, of: user)
        })
    }
    if user.role.right < scope {
      Output.note(
        """
        Note: \(UserSummary.name(user)) is \(UserSummary.text(user.role)), so that the token gives \
        the right “\(user.role.right.rawValue)” only.
        """)
    }
    try Output.print(.text(text))
    Output.note("Keep it: it is not shown again.")
  }
}
