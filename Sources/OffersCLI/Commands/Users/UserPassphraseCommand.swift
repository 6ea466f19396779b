import ArgumentParser
import OffersCore
import OffersServer

/// `offers user passphrase`
struct UserPassphraseCommand: AsyncParsableCommand, LoggedCommand {
  static let configuration = CommandConfiguration(
    commandName: "passphrase",
    abstract: "Set the passphrase with which a user logs in to the server.",
    usage: "offers user passphrase [<name>] [<options>]",
    discussion: """
      Asks for the passphrase twice, without showing it; without a terminal it is the first line of \
      standard input. It must have at least \(Passphrase.leastCharacters) characters. Only its scrypt \
      hash is stored. The user is logged out everywhere, also of a running server.

      EXAMPLES
        offers user passphrase             the owner's
        offers user passphrase ben
        offers user passphrase ben --remove
      """)

  @Argument(help: "The user; the owner if left out.")
  var name: String?

  @Flag(name: .long, help: "Remove the passphrase: the user can log in by a code only.")
  var remove = false

  @Flag(name: .long, help: "Print one JSON document.")
  var json = false

  @OptionGroup var location: DatabaseOptions

  var logEntry: LogEntry? {
    LogEntry("passphrase \(remove ? "removed" : "set")", ["account": name ?? "the owner"])
  }

  func run() async throws {
    let database = try await location.openExisting()
    let user = try await database.fetchUser(orOwner: name)
    var stored: PassphraseHash?
    if !remove {
      let text = try PassphrasePrompt.readNew(of: user.name)
      try Passphrase.check(text, of: user.name)
      stored = try Passphrase.hash(text)
    }
    try await database.setPassphrase(stored, of: user.id, keeping: nil)
    if json {
      return try Output.printData(
        JSONWriter.document { json in
          json.member("user", user.name)
          json.member("passphrase", stored != nil)
        })
    }
    try Output.print("\(UserSummary.name(user)): passphrase \(remove ? "removed" : "set")")
  }
}
