import Foundation
import OffersCore

/// The SQL for the identities of users at OpenID providers.
enum IdentityTable {
  static func findUser(
    with identity: Identity, in transaction: any Transaction
  ) throws -> User.ID? {
    try transaction.first(
      "SELECT user_key FROM identity WHERE issuer = $1 AND subject = $2",
      [.text(identity.issuer), .text(identity.subject)]
    ) { $0.number(0) }
  }

  static func users(
    withIdentityOf issuer: String, in transaction: any Transaction
  ) throws -> Set<User.ID> {
    if !StoredText.isStorable(issuer) { return [] }
    return Set(
      try transaction.rows("SELECT user_key FROM identity WHERE issuer = $1", [.text(issuer)]) {
        $0.number(0)
      })
  }

  static func hasIdentity(
    of issuer: String, _ user: User.ID, in transaction: any Transaction
  ) throws -> Bool {
    try transaction.exists(
      "SELECT 1 FROM identity WHERE user_key = $1 AND issuer = $2", [.number(user), .text(issuer)])
  }

  /// The identities of a user, by the time at which they were added.
  static func connections(
    of user: User.ID, in transaction: any Transaction
  ) throws -> [UserCredentials.Connection] {
    try transaction.rows(
      """
      SELECT issuer, subject, added_at FROM identity WHERE user_key = $1 ORDER BY added_at, issuer
      """, [.number(user)]
    ) { row in
      UserCredentials.Connection(
        try Identity(issuer: row.text(0), subject: row.text(1)), addedAt: row.date(2))
    }
  }

  static func insert(
    _ identity: Identity, of user: User.ID, at now: Date, in transaction: any Transaction
  ) throws {
    try transaction.run(
      "INSERT INTO identity (user_key, issuer, subject, added_at) VALUES ($1, $2, $3, $4)",
      [.number(user), .text(identity.issuer), .text(identity.subject), .date(now)])
  }

  static func delete(
    of issuer: String, _ user: User.ID, in transaction: any Transaction
  ) throws {
    try transaction.run(
      "DELETE FROM identity WHERE user_key = $1 AND issuer = $2", [.number(user), .text(issuer)])
  }
}
