import ArgumentParser
import Foundation
import OffersCore

/// `offers user list`
struct UserListCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List the users, the owner first.")

  @Flag(name: .long, help: "Print one JSON document.")
  var json = false

  @OptionGroup var location: DatabaseOptions

  func run() async throws {
    let database = try await location.open(.readOnly)
    var users: [UserSummary] = []
    for user in try await database.fetchUsers() {
      users.append(try await UserSummary(user, in: database))
    }
    try Output.print(json ? .data(Self.json(users)) : .text(UserSummary.table(users, at: Date())))
  }

  /// `{"users":[…]}`
  private static func json(_ users: [UserSummary]) -> String {
    JSONWriter.document { json in
      json.member("users", each: users) { $0.value($1) }
    }
  }
}
