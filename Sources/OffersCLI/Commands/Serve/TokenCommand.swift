import ArgumentParser
import Foundation
import OffersCore
import OffersFeeds
import OffersPlatform
import OffersServer
import OffersSync

struct TokenCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "token",
    abstract: "Make, list and revoke the tokens of programs.",
    discussion: """
      A program that uses "offers serve" sends a token with each request, as "Authorization: Bearer TOKEN". It acts for a \
      user, and may do what its scope and the user's role both allow.

      EXAMPLES
        offers token add "home automation"
        offers token add backup --scope sync --expires 90d --user ben
        offers token list
        offers token revoke backup --user ben
      """,
    subcommands: [
      TokenListCommand.self, TokenAddCommand.self, TokenRevokeCommand.self, TokenNewCommand.self,
    ],
    defaultSubcommand: TokenListCommand.self)
}

struct TokenListCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List the API tokens of all users, or of one.")

  @Flag(.json) var json = false
  @OptionGroup var options: UserDatabaseOptions

  func run() async throws {
    let database = try await options.location.open(.readOnly)
    let users = try await database.fetchUsers()
    let choice = try options.choice
    let user = choice.isDefault ? nil : try await choice.fetchUser(in: database)
    let tokens = try await database.fetchTokens(of: user?.id)
    let named = Dictionary(users.map { ($0.id, $0) }, uniquingKeysWith: { one, _ in one })
    let rows = tokens.compactMap { token in named[token.user].map { (token, $0) } }
    if json {
      return try Output.print(.json(["tokens": rows.map { $0.document(of: $1) }]))
    }
    if rows.isEmpty {
      return Output.note("There are no API tokens. Make one: offers token add NAME")
    }
    let now = Date()
    let columns: [Table.Column] = [
      .whole("NAME"), .whole("USER"), .whole("SCOPE"), .whole("EXPIRES"), .whole("LAST USED"),
    ]
    let table = Table.text(columns, rows) { token, user in
      [
        DisplayText.oneLine(token.name), UserSummary.name(user), token.scope.rawValue,
        token.isExpired(at: now) ? "expired" : token.expiresAt.map(Units.time) ?? "never",
        token.lastUsedAt.map { Units.age(of: $0, at: now) } ?? "never",
      ]
    }
    try Output.print(.text(table))
  }
}

extension APIToken {
  fileprivate func document(of user: User) -> JSONObject {
    [
      "id": id, "name": name, "user": user.name, "scope": scope.rawValue, "created_at": createdAt,
      "expires_at": expiresAt, "last_used_at": lastUsedAt,
    ]
  }
}

struct TokenNewCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "new",
    abstract: "Make a new file with a token of 256 random bits.",
    discussion: """
      Only you can read the file; a file that exists already is left untouched. To change the \
      token of a running server, replace its file by another: the server notices, and everybody \
      has to log in again. The service of the Debian package reads a copy of the file, which \
      systemd makes at its start: restart it after a change.

      EXAMPLES
        offers token new ~/.config/offers/token
        offers token new new-token && mv new-token ~/.config/offers/token
      """)

  @Argument(help: "The file to make.", completion: .file()) var file: String
  @Flag(help: "Print one JSON document, without the token.") var json = false

  func run() async throws {
    try Self.make(file)
    let word = ShellQuoting.word(file)
    if json {
      return try Output.print(.json(["path": file, "bits": APITokenText.byteCount * 8]))
    }
    try Output.print(.line("\(file): a token of \(APITokenText.byteCount * 8) bits"))
    try Output.print("Serve with it:  offers serve --host ADDRESS --token-file \(word)")
    try Output.print("Show it, to type it into the login page:  cat \(word)")
  }

  private static let hint = "Check the folder, its permissions and its free space."

  /// Makes the file durably, with mode 0600.
  ///
  /// - Throws: `OffersError` with `invalidRequest` if it exists, with `storageFailed` if it cannot be
  ///   written.
  private static func make(_ path: String) throws {
    do {
      try FileOperations.makeFolders(of: path)
    } catch {
      throw AtomicFile.failure(path, hint, error.number)
    }
    var facts = stat()
    if lstat(path, &facts) == 0 {
      throw OffersError(
        .invalidRequest, "\(path) exists already. It was left untouched.",
        hint: "Name another file.")
    }
    let file = try AtomicFile(watched: path, hint: hint)
    var line = try APITokenText.randomText() + "\n"
    try line.withUTF8 { try file.append(UnsafeRawBufferPointer($0)) }
    try file.commit(isPrivate: true, isNew: true)
  }
}

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

  @Argument(help: "A name for the token, to revoke it by.") var name: String

  @Option(
    help: .value("scope", "What it may do: read, favorites, sync or admin."),
    completion: .list(Right.allCases.map(\.rawValue)))
  var scope = Right.read.rawValue

  @Option(
    parsing: .unconditional, help: .value("time", "When it expires, such as 90d or 52w, or never."))
  var expires = "never"

  @Flag(.json) var json = false
  @OptionGroup var options: UserDatabaseOptions

  var logEntry: LogEntry? { LogEntry("token added", ["name": name, "scope": scope]) }

  func run() async throws {
    let scope: Right = try NamedChoice.find(scope, what: "scope", title: "Scopes")
    let now = Date()
    let seconds = expires == "never" ? nil : try PeriodStart.seconds(parsing: expires)
    let database = try await options.location.openExisting()
    let user = try await options.choice.fetchUser(in: database)
    let text = try APITokenText.make()
    let token = try await database.addToken(
      APIToken(
        id: 0, user: user.id, name: name, scope: scope, createdAt: now,
        expiresAt: seconds.map { now + $0 }),
      hash: try APITokenText.hash(of: text))
    if json {
      return try Output.print(.json(["token": text] + token.document(of: user)))
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

struct TokenRevokeCommand: AsyncParsableCommand, LoggedCommand {
  static let configuration = CommandConfiguration(
    commandName: "revoke",
    abstract: "Revoke an API token: a running server refuses it at once.",
    usage: "offers token revoke <name> [<options>]")

  @Argument(help: "The name of the token.") var name: String
  @Flag(.json) var json = false
  @OptionGroup var options: UserDatabaseOptions

  var logEntry: LogEntry? { LogEntry("token revoked", ["name": name]) }

  func run() async throws {
    let database = try await options.location.openExisting()
    let user = try await options.choice.fetchUser(in: database)
    let tokens = try await database.fetchTokens(of: user.id)
    guard let token = tokens.first(where: { $0.name == name }) else {
      throw OffersError(
        .notFound, "\(user.name) has no token “\(name.prefix(80))”.",
        hint: NearestWord.hint(for: name, among: tokens.map(\.name), title: "Tokens"))
    }
    try await database.revokeToken(token.id)
    if json {
      return try Output.print(.json(token.document(of: user)))
    }
    try Output.print("\(DisplayText.oneLine(token.name)): revoked")
  }
}
