import ArgumentParser
import OffersCore

/// `offers user logout`
struct UserLogoutCommand: AsyncParsableCommand, LoggedCommand {
  static let configuration = CommandConfiguration(
    commandName: "logout",
    abstract: "Log a user out of all browsers.",
    usage: "offers user logout [<name>] [<options>]",
    discussion: """
      Ends the sessions of the user, also on a running server, such as when a phone was lost. The \
      passphrase and the API tokens stay: change or revoke them if others may know them.

      EXAMPLES
        offers user logout ben
        offers user logout               the owner
      """)

  @Argument(help: "The user; the owner if left out.")
  var name: String?

  @Flag(name: .long, help: "Print one JSON document.")
  var json = false

  @OptionGroup var location: DatabaseOptions

  var logEntry: LogEntry? { LogEntry("user logged out", ["account": name ?? "the owner"]) }

  func run() async throws {
    let database = try await location.openExisting()
    let user = try await database.fetchUser(orOwner: name)
    let sessions = try await database.fetchSessions().filter { $0.user == user.id }
    try await database.endSessions(sessions.map(\.id))
    if json {
      return try Output.printData(
        JSONWriter.document { json in
          json.member("user", user.name)
          json.member("sessions", sessions.count)
        })
    }
    let count = Units.count(sessions.count, "browser")
    try Output.print("\(UserSummary.name(user)): logged out of \(count)")
  }
}
