import Foundation
import GRDB
import OffersCore

/// The SQL for the identities of users at OpenID providers.
enum IdentityTable {
  static func findUser(with identity: Identity, in database: Database) throws -> User.ID? {
    try Int64.fetchOne(
      database, sql: "SELECT user_key FROM identity WHERE issuer = ? AND subject = ?",
      arguments: [identity.issuer, identity.subject])
  }

  static func users(withIdentityOf issuer: String, in database: Database) throws -> Set<User.ID> {
    Set(
      try Int64.fetchAll(
        database, sql: "SELECT user_key FROM identity WHERE issuer = ? ORDER BY user_key",
        arguments: [issuer]))
  }

  static func hasIdentity(
    of issuer: String, _ user: User.ID, in database: Database
  ) throws -> Bool {
    try Bool.fetchOne(
      database, sql: "SELECT 1 FROM identity WHERE user_key = ? AND issuer = ?",
      arguments: [user, issuer]) ?? false
  }

  /// The identities of a user, by the time at which they were added.
  static func connections(
    of user: User.ID, in database: Database
  ) throws -> [UserLogin.Connection] {
    try Row.fetchAll(
      database,
      sql: """
        SELECT issuer, subject, added_at FROM identity WHERE user_key = ? ORDER BY added_at, issuer
        """, arguments: [user]
    ).map { row in
      UserLogin.Connection(
        try Identity(issuer: row["issuer"], subject: row["subject"]),
        addedAt: Date(storedSeconds: row["added_at"]))
    }
  }

  static func insert(
    _ identity: Identity, of user: User.ID, at now: Date, in database: Database
  ) throws {
    try database.execute(
      sql: "INSERT INTO identity (user_key, issuer, subject, added_at) VALUES (?, ?, ?, ?)",
      arguments: [
        user, identity.issuer, identity.subject, now.storedSeconds,
      ])
  }

  static func delete(of issuer: String, _ user: User.ID, in database: Database) throws {
    try database.execute(
      sql: "DELETE FROM identity WHERE user_key = ? AND issuer = ?", arguments: [user, issuer])
  }
}
