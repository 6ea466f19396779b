import ArgumentParser
import OffersCore

/// `offers user role`
struct UserRoleCommand: AsyncParsableCommand, LoggedCommand {
  static let configuration = CommandConfiguration(
    commandName: "role",
    abstract: "Give a user another role.",
    discussion: """
      The owner is always an admin.

      EXAMPLES
        offers user role ben viewer
      """)

  @Argument(help: "The user.")
  var name: String

  @Argument(
    help: "The role: viewer, member or admin.",
    completion: .list(User.Role.allCases.map(\.rawValue)))
  var role: String

  @Flag(name: .long, help: "Print one JSON document.")
  var json = false

  @OptionGroup var location: DatabaseOptions

  var logEntry: LogEntry? { LogEntry("user changed", ["account": name, "role": role]) }

  func run() async throws {
    let role: User.Role = try NamedChoice.find(role, what: "role", title: "Roles")
    let database = try await location.openExisting()
    let old = try await database.fetchUser(named: name)
    let user = try await database.changeUser(old.id, name: nil, role: role)
    if json { return try Output.printData(try await UserSummary(user, in: database).json) }
    let text = UserSummary.text(role)
    try Output.print(
      "\(UserSummary.name(user)): \(old.role == role ? "\(text), as before" : "now \(text)")")
  }
}
