import ArgumentParser
import Foundation
import OffersCore

/// `offers token list`
struct TokenListCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List the API tokens of all users, or of one.")

  @Flag(name: .long, help: "Print one JSON document.")
  var json = false

  @OptionGroup var record: UserRecordOptions

  func run() async throws {
    let database = try await record.location.open(.readOnly)
    let users = try await database.fetchUsers()
    let choice = try record.choice
    let user = choice.isDefault ? nil : try await choice.fetchUser(in: database)
    let tokens = try await database.fetchTokens(of: user?.id)
    let named = Dictionary(users.map { ($0.id, $0) }, uniquingKeysWith: { one, _ in one })
    let rows = tokens.compactMap { token in named[token.user].map { (token, $0) } }
    if json {
      return try Output.printData(
        JSONWriter.document { json in
          json.member("tokens", objects: rows) { $0.writeMembers(of: $1.0, of: $1.1) }
        })
    }
    if rows.isEmpty {
      return Output.note("There are no API tokens. Make one: offers token add NAME")
    }
    try Output.print(.text(Self.table(rows, at: Date())))
  }

  private static func table(_ rows: [(APIToken, User)], at now: Date) -> String {
    let columns = [
      Table.Column(title: "NAME", isWhole: true), Table.Column(title: "USER", isWhole: true),
      Table.Column(title: "SCOPE", isWhole: true), Table.Column(title: "EXPIRES", isWhole: true),
      Table.Column(title: "LAST USED", isWhole: true),
    ]
    let cells = rows.map { token, user in
      [
        DisplayText.oneLine(token.name), UserSummary.name(user), token.scope.rawValue,
        token.isExpired(at: now) ? "expired" : token.expiresAt.map(Units.time) ?? "never",
        token.lastUsedAt.map { Units.age(of: $0, at: now) } ?? "never",
      ]
    }
    return Table.text(columns, cells)
  }
}

extension JSONWriter {
  /// `"id","name","user","scope","created_at","expires_at","last_used_at"`
  mutating func writeMembers(of token: APIToken, of user: User) {
    member("id", token.id)
    member("name", token.name)
    member("user", user.name)
    member("scope", token.scope.rawValue)
    member("created_at", token.createdAt)
    member("expires_at", token.expiresAt)
    member("last_used_at", token.lastUsedAt)
  }
}
