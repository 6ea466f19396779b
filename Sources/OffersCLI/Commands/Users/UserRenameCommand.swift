import ArgumentParser
import OffersCore

/// `offers user rename`
struct UserRenameCommand: AsyncParsableCommand, LoggedCommand {
  static let configuration = CommandConfiguration(
    commandName: "rename",
    abstract: "Give a user another name.",
    discussion: """
      EXAMPLES
        offers user rename owner ana
      """)

  @Argument(help: "The user.")
  var name: String

  @Argument(help: "The new name, unique without regard to case.")
  var new: String

  @Flag(name: .long, help: "Print one JSON document.")
  var json = false

  @OptionGroup var location: DatabaseOptions

  var logEntry: LogEntry? { LogEntry("user renamed", ["account": name, "name": new]) }

  func run() async throws {
    let database = try await location.openExisting()
    let old = try await database.fetchUser(named: name)
    let user = try await database.changeUser(old.id, name: new, role: nil)
    if json { return try Output.printData(try await UserSummary(user, in: database).json) }
    try Output.print("\(UserSummary.name(old)): now named \(UserSummary.name(user))")
  }
}
