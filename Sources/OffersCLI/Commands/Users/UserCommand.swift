import ArgumentParser
import Foundation
import OffersCore
import OffersPlatform
import OffersServer
import OffersStore

struct UserCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "user",
    abstract: "List, add, change and remove users.",
    discussion: """
      Offers are shared. Favorites, recent searches, read marks and news belong to a user: the \
      owner of the database, unless --user or the variable OFFERS_USER names another one. The owner \
      is always an admin, and cannot be removed.

      EXAMPLES
        offers user add ben
        offers user passphrase ben
        offers favorite 900117 --user ben
        offers user role ben viewer
        offers user remove ben
      """,
    subcommands: [
      UserListCommand.self, UserAddCommand.self, UserRenameCommand.self, UserRoleCommand.self,
      UserPassphraseCommand.self, UserLogoutCommand.self, UserRemoveCommand.self,
    ],
    defaultSubcommand: UserListCommand.self)
}

struct UserListCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List the users, the owner first.")

  @Flag(.json) var json = false
  @OptionGroup var location: DatabaseOptions

  func run() async throws {
    let database = try await location.open(.readOnly)
    var users: [UserSummary] = []
    for user in try await database.fetchUsers() {
      users.append(try await UserSummary(user, in: database))
    }
    try Output.print(
      json
        ? .json(["users": users.map(\.document)]) : .text(UserSummary.table(users, at: Date())))
  }
}

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

  @Argument(help: "The name, unique without regard to case.") var name: String

  @Option(
    help: .value("role", "The role: viewer, member or admin."),
    completion: .list(User.Role.allCases.map(\.rawValue)))
  var role = User.Role.member.rawValue

  @Flag(.json) var json = false
  @OptionGroup var location: DatabaseOptions

  var logEntry: LogEntry? { LogEntry("user added", ["account": name, "role": role]) }

  func run() async throws {
    let role: User.Role = try NamedChoice.find(role, what: "role", title: "Roles")
    let database = try await location.openExisting()
    let user = try await database.addUser(named: name, role: role)
    if json { return try Output.print(.json(try await UserSummary(user, in: database).document)) }
    try Output.print("\(UserSummary.name(user)): added as \(UserSummary.text(role))")
    if Terminal.isError {
      let name = DisplayText.oneLine(ShellQuoting.word(user.name))
      Output.note("For a login: offers user passphrase \(name), or “Invite” on the server's page.")
    }
  }
}

struct UserRenameCommand: AsyncParsableCommand, LoggedCommand {
  static let configuration = CommandConfiguration(
    commandName: "rename",
    abstract: "Give a user another name.",
    discussion: """
      EXAMPLES
        offers user rename owner ana
      """)

  @Argument(help: "The user.") var name: String
  @Argument(help: "The new name, unique without regard to case.") var new: String
  @Flag(.json) var json = false
  @OptionGroup var location: DatabaseOptions

  var logEntry: LogEntry? { LogEntry("user renamed", ["account": name, "name": new]) }

  func run() async throws {
    let database = try await location.openExisting()
    let old = try await database.fetchUser(named: name)
    let user = try await database.changeUser(old.id, name: new, role: nil)
    if json { return try Output.print(.json(try await UserSummary(user, in: database).document)) }
    try Output.print("\(UserSummary.name(old)): now named \(UserSummary.name(user))")
  }
}

struct UserRoleCommand: AsyncParsableCommand, LoggedCommand {
  static let configuration = CommandConfiguration(
    commandName: "role",
    abstract: "Give a user another role.",
    discussion: """
      The owner is always an admin.

      EXAMPLES
        offers user role ben viewer
      """)

  @Argument(help: "The user.") var name: String

  @Argument(
    help: "The role: viewer, member or admin.",
    completion: .list(User.Role.allCases.map(\.rawValue)))
  var role: String

  @Flag(.json) var json = false
  @OptionGroup var location: DatabaseOptions

  var logEntry: LogEntry? { LogEntry("user changed", ["account": name, "role": role]) }

  func run() async throws {
    let role: User.Role = try NamedChoice.find(role, what: "role", title: "Roles")
    let database = try await location.openExisting()
    let old = try await database.fetchUser(named: name)
    let user = try await database.changeUser(old.id, name: nil, role: role)
    if json { return try Output.print(.json(try await UserSummary(user, in: database).document)) }
    let text = UserSummary.text(role)
    try Output.print(
      "\(UserSummary.name(user)): \(old.role == role ? "\(text), as before" : "now \(text)")")
  }
}

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

  @Argument(help: "The user; the owner if left out.") var name: String?
  @Flag(help: "Remove the passphrase: the user can log in by a code only.") var remove = false
  @Flag(.json) var json = false
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
      return try Output.print(.json(["user": user.name, "passphrase": stored != nil]))
    }
    try Output.print("\(UserSummary.name(user)): passphrase \(remove ? "removed" : "set")")
  }
}

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

  @Argument(help: "The user; the owner if left out.") var name: String?
  @Flag(.json) var json = false
  @OptionGroup var location: DatabaseOptions

  var logEntry: LogEntry? { LogEntry("user logged out", ["account": name ?? "the owner"]) }

  func run() async throws {
    let database = try await location.openExisting()
    let user = try await database.fetchUser(orOwner: name)
    let sessions = try await database.fetchSessions().filter { $0.user == user.id }
    try await database.endSessions(sessions.map(\.id))
    if json {
      return try Output.print(.json(["user": user.name, "sessions": sessions.count]))
    }
    let count = Units.count(sessions.count, "browser")
    try Output.print("\(UserSummary.name(user)): logged out of \(count)")
  }
}

/// A user and the number of their favorites, as `offers user` prints them.
struct UserSummary {
  let user: User
  let favoriteCount: Int

  init(_ user: User, in database: OffersDatabase) async throws {
    self.user = user
    favoriteCount = try await database.bound(to: user).countOffers(
      OfferQuery(favoritesOnly: true))
  }

  /// The name, safe for a terminal.
  static func name(_ user: User) -> String { DisplayText.oneLine(user.name) }

  /// A role with its article, such as `an admin`.
  static func text(_ role: User.Role) -> String {
    role == .admin ? "an admin" : "a \(role.rawValue)"
  }

  /// The number of users, and of those with each role, such as `3: 1 admin, 2 members`; nil
  /// if there is only the owner.
  static func text(_ users: [User]) -> String? {
    guard users.count > 1 else { return nil }
    let roles = User.Role.allCases.reversed().compactMap { role in
      let count = users.count { $0.role == role }
      return count == 0 ? nil : Units.count(count, role.rawValue)
    }
    return "\(Units.count(users.count)): \(roles.joined(separator: ", "))"
  }

  static func table(_ users: [UserSummary], at now: Date) -> String {
    let columns: [Table.Column] = [
      .whole("NAME"), .whole("ROLE"), .right("FAVORITES"), .whole("ADDED"), .whole("LAST SEEN"),
    ]
    return Table.text(columns, users) { entry in
      [
        name(entry.user), entry.user.role.rawValue + (entry.user.isOwner ? ", owner" : ""),
        Units.count(entry.favoriteCount), Units.time(entry.user.createdAt),
        entry.user.lastSeenAt.map { Units.age(of: $0, at: now) } ?? "never",
      ]
    }
  }

  var document: JSONObject {
    [
      "id": user.id, "name": user.name, "role": user.role.rawValue, "owner": user.isOwner,
      "favorites": favoriteCount, "created_at": user.createdAt, "last_seen_at": user.lastSeenAt,
    ]
  }
}

extension OffersDatabase {
  /// The user with a name; the owner for nil.
  func fetchUser(orOwner name: String?) async throws -> User {
    guard let name else { return try await fetchOwner() }
    return try await fetchUser(named: name)
  }
}
