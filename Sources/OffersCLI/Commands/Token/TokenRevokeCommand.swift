import ArgumentParser
import OffersCore

/// `offers token revoke`
struct TokenRevokeCommand: AsyncParsableCommand, LoggedCommand {
  static let configuration = CommandConfiguration(
    commandName: "revoke",
    abstract: "Revoke an API token: a running server refuses it at once.",
    usage: "offers token revoke <name> [<options>]")

  @Argument(help: "The name of the token.")
  var name: String

  @Flag(name: .long, help: "Print one JSON document.")
  var json = false

  @OptionGroup var record: UserRecordOptions

  var logEntry: LogEntry? { LogEntry("token revoked", ["name": name]) }

  func run() async throws {
    let database = try await record.location.openExisting()
    let user = try await record.choice.fetchUser(in: database)
    let tokens = try await database.fetchTokens(of: user.id)
    guard let token = tokens.first(where: { $0.name == name }) else {
      throw OffersError(
        .notFound, "\(user.name) has no token “\(name.prefix(80))”.",
        hint: NearestWord.hint(for: name, among: tokens.map(\.name), title: "Tokens"))
    }
    try await database.revokeToken(token.id)
    if json {
      return try Output.printData(JSONWriter.document { $0.writeMembers(of: token, of: user) })
    }
    try Output.print("\(DisplayText.oneLine(token.name)): revoked")
  }
}
