import Foundation
import OffersCore

/// The SQL for sessions.
enum SessionTable {
  private static let columns =
    "session_id, user_key, fingerprint, created_at, last_seen_at, peer, user_agent"

  static func find(_ id: [UInt8], in transaction: any Transaction) throws -> Session? {
    try transaction.first(
      "SELECT \(columns) FROM session WHERE session_id = $1", [.bytes(id)], isFrequent: true,
      session)
  }

  static func list(in transaction: any Transaction) throws -> [Session] {
    try transaction.rows(
      "SELECT \(columns) FROM session ORDER BY last_seen_at DESC, session_id", [], session)
  }

  /// Stores a session. If its user has too many then, those that were unseen for longest are removed.
  /// The user must be locked.
  static func insert(_ session: Session, in transaction: any Transaction) throws {
    try transaction.run(
      "INSERT INTO session (\(columns)) VALUES ($1, $2, $3, $4, $5, $6, $7)",
      [
        .bytes(session.id), .number(session.user), .bytes(session.fingerprint),
        .date(session.createdAt), .date(session.lastSeenAt), .text(beginning(session.peer, 64)),
        .text(beginning(session.userAgent, Session.userAgentLimit)),
      ])
    try transaction.run(
      """
      DELETE FROM session WHERE session_id IN (
        SELECT session_id FROM session WHERE user_key = $1 AND session_id <> $2
        ORDER BY last_seen_at DESC, session_id DESC
        \(transaction.dialect.offset(String(Session.limit - 1))))
      """, [.number(session.user), .bytes(session.id)])
  }

  /// The first characters of a text from a client, which may have any, counted as Unicode scalars.
  private static func beginning(_ text: String, _ limit: Int) -> String {
    let scalars = text.unicodeScalars.lazy.map { $0 == "\0" ? "\u{FFFD}" : $0 }.prefix(limit)
    return String(String.UnicodeScalarView(scalars))
  }

  /// Sets the time of the last request of a session and of its user, unless a later one is stored.
  static func note(_ id: [UInt8], seenAt: Date, in transaction: any Transaction) throws {
    let user = try transaction.first(
      """
      UPDATE session SET last_seen_at = $1 WHERE session_id = $2 AND last_seen_at < $1
      RETURNING user_key
      """, [.date(seenAt), .bytes(id)]
    ) { $0.number(0) }
    if let user { try UserTable.note(user, seenAt: seenAt, in: transaction) }
  }

  static func delete(_ id: [UInt8], in transaction: any Transaction) throws {
    try transaction.run("DELETE FROM session WHERE session_id = $1", [.bytes(id)])
  }

  /// Deletes the sessions of a user but one.
  static func deleteAll(
    of user: User.ID, except id: [UInt8]?, in transaction: any Transaction
  ) throws {
    try transaction.run(
      "DELETE FROM session WHERE user_key = $1 AND session_id IS DISTINCT FROM $2",
      [.number(user), .bytes(id)])
  }

  /// Deletes the sessions that have expired at a time.
  static func deleteExpired(at now: Date, in transaction: any Transaction) throws {
    try transaction.run(
      "DELETE FROM session WHERE abs(last_seen_at - $1) >= $2",
      [.date(now), .number(Int64(Session.idleSeconds))])
  }

  private static func session(_ row: any SQLRow) -> Session {
    Session(
      id: row.blob(0), user: row.number(1), fingerprint: row.findBlob(2), createdAt: row.date(3),
      lastSeenAt: row.date(4), peer: row.text(5), userAgent: row.text(6))
  }
}
