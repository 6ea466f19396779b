import ArgumentParser
import OffersCore
import OffersPlatform

/// `offers user add`
struct UserAddCommand: AsyncParsableCommand, LoggedCommand {
  static let configuration = CommandConfiguration(
    commandName: "add",
    abstract: "Add a user.",
    discussion: """
      A viewer reads and stars. A member also syncs and adds feeds. An admin also manages users, \
      offers that are held back, and settings. Roles are for the server; whoever has the file of the \
      database may do everything here. From the first added user on, the server requires a login: \
      set passphrases, also the owner's, with "offers user passphrase".

      EXAMPLES
        offers user add ben
        offers user add grandma --role viewer
      """)

  @Argument(help: "The name, unique without regard to case.")
  var name: String

  @Option(
    name: .long,
    help: ArgumentHelp("The role: viewer, member or admin.", valueName: "role"),
    completion: .list(User.Role.allCases.map(\.rawValue)))
  var role = User.Role.member.rawValue

  @Flag(name: .long, help: "Print one JSON document.")
  var json = false

  @OptionGroup var location: DatabaseOptions

  var logEntry: LogEntry? { LogEntry("user added", ["account": name, "role": role]) }

  func run() async throws {
    let role: User.Role = try NamedChoice.find(role, what: "role", title: "Roles")
    let database = try await location.openExisting()
    let user = try await database.addUser(named: name, role: role)
    if json { return try Output.printData(try await UserSummary(user, in: database).json) }
    try Output.print("\(UserSummary.name(user)): added as \(UserSummary.text(role))")
    if Terminal.isError {
      let name = DisplayText.oneLine(ShellQuoting.word(user.name))
      Output.note("For a login: offers user passphrase \(name), or “Invite” on the server's page.")
    }
  }
}
