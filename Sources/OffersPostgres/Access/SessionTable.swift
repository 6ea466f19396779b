import Foundation
import OffersCore

/// The SQL for sessions.
enum SessionTable {
  private static let columns =
    "session_id, user_key, fingerprint, created_at, last_seen_at, peer, user_agent"

  static func find(_ id: [UInt8], in session: DatabaseSession) throws -> Session? {
    try session.rows(
      prepared: "SELECT \(columns) FROM session WHERE session_id = $1", [.bytes(id)]
    ).first.map(stored)
  }

  static func list(in session: DatabaseSession) throws -> [Session] {
    try session.rows("SELECT \(columns) FROM session ORDER BY last_seen_at DESC, session_id")
      .map(stored)
  }

  /// Stores a session. If its user has too many then, those that were unseen for longest are removed.
  /// The user must be locked.
  static func insert(_ new: Session, in session: DatabaseSession) throws {
    try session.run(
      "INSERT INTO session (\(columns)) VALUES ($1, $2, $3, $4, $5, $6, $7)",
      [
        .bytes(new.id), .number(new.user), .bytes(new.fingerprint), .date(new.createdAt),
        .date(new.lastSeenAt), .text(text(new.peer, 64)),
        .text(text(new.userAgent, Session.userAgentLimit)),
      ])
    try session.run(
      """
      DELETE FROM session WHERE session_id IN (
        SELECT session_id FROM session WHERE user_key = $1 AND session_id <> $2
        ORDER BY last_seen_at DESC, session_id DESC OFFSET \(Session.limit - 1))
      """, [.number(new.user), .bytes(new.id)])
  }

  /// The beginning of a text from a client, which may have any character.
  private static func text(_ text: String, _ limit: Int) -> String {
    let scalars = text.unicodeScalars.lazy.map { $0 == "\0" ? "\u{FFFD}" : $0 }.prefix(limit)
    return String(String.UnicodeScalarView(scalars))
  }

  /// Sets the time of the last request of a session and of its user, unless a later one is stored.
  static func note(_ id: [UInt8], seenAt: Date, in session: DatabaseSession) throws {
    let row = try session.rows(
      """
      UPDATE session SET last_seen_at = $1 WHERE session_id = $2 AND last_seen_at < $1
      RETURNING user_key
      """, [.date(seenAt), .bytes(id)]
    ).first
    if let row { try UserTable.note(row.number(0), seenAt: seenAt, in: session) }
  }

  static func delete(_ ids: [[UInt8]], in session: DatabaseSession) throws {
    var array = ArrayParameter(.bytea)
    for id in ids { array.append(id) }
    try session.run("DELETE FROM session WHERE session_id = ANY($1)", [.array(array)])
  }

  /// Deletes the sessions of a user but one.
  static func deleteAll(
    of user: User.ID, except id: [UInt8]?, in session: DatabaseSession
  ) throws {
    try session.run(
      "DELETE FROM session WHERE user_key = $1 AND session_id IS DISTINCT FROM $2::bytea",
      [.number(user), .bytes(id)])
  }

  /// Deletes the sessions that have expired at a time.
  static func deleteExpired(at now: Date, in session: DatabaseSession) throws {
    try session.run(
      "DELETE FROM session WHERE abs(last_seen_at - $1) >= $2",
      [.date(now), .number(Int64(Session.idleSeconds))])
  }

  private static func stored(_ row: Row) -> Session {
    Session(
      id: row.findBytes(0).map { Array($0) } ?? [], user: row.number(1),
      fingerprint: row.findBytes(2).map { Array($0) }, createdAt: row.date(3),
      lastSeenAt: row.date(4), peer: row.text(5), userAgent: row.text(6))
  }
}
