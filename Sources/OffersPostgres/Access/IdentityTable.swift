import Foundation
import OffersCore

/// The SQL for the identities of users at OpenID providers.
enum IdentityTable {
  static func findUser(
    with identity: Identity, in session: DatabaseSession
  ) throws -> User.ID? {
    try session.rows(
      "SELECT user_key FROM identity WHERE issuer = $1 AND subject = $2",
      [.text(identity.issuer), .text(identity.subject)]
    ).first?.number(0)
  }

  static func users(
    withIdentityOf issuer: String, in session: DatabaseSession
  ) throws -> Set<User.ID> {
    Set(
      try session.rows("SELECT user_key FROM identity WHERE issuer = $1", [.text(issuer)])
        .map { $0.number(0) })
  }

  static func hasIdentity(
    of issuer: String, _ user: User.ID, in session: DatabaseSession
  ) throws -> Bool {
    try session.run(
      "SELECT 1 FROM identity WHERE user_key = $1 AND issuer = $2", [.number(user), .text(issuer)])
      > 0
  }

  /// The identities of a user, by the time at which they were added.
  static func connections(
    of user: User.ID, in session: DatabaseSession
  ) throws -> [UserLogin.Connection] {
    try session.rows(
      """
      SELECT issuer, subject, added_at FROM identity WHERE user_key = $1 ORDER BY added_at, issuer
      """, [.number(user)]
    ).map { row in
      UserLogin.Connection(
        try Identity(issuer: row.text(0), subject: row.text(1)), addedAt: row.date(2))
    }
  }

  static func insert(
    _ identity: Identity, of user: User.ID, at now: Date, in session: DatabaseSession
  ) throws {
    try session.run(
      "INSERT INTO identity (user_key, issuer, subject, added_at) VALUES ($1, $2, $3, $4)",
      [.number(user), .text(identity.issuer), .text(identity.subject), .date(now)])
  }

  static func delete(of issuer: String, _ user: User.ID, in session: DatabaseSession) throws {
    try session.run(
      "DELETE FROM identity WHERE user_key = $1 AND issuer = $2", [.number(user), .text(issuer)])
  }
}
