import Foundation
import GRDB
import OffersCore

/// The SQL for sessions. The trigger `session_holds_100_of_a_user` of migration 21 bounds their
/// number.
enum SessionTable {
  private static let columns =
    "session_id, user_key, fingerprint, created_at, last_seen_at, peer, user_agent"

  static func find(_ id: [UInt8], in database: Database) throws -> Session? {
    let statement = try database.cachedStatement(
      sql: "SELECT \(columns) FROM session WHERE session_id = ?")
    return try Row.fetchOne(statement, arguments: [Data(id)]).map(session)
  }

  static func list(in database: Database) throws -> [Session] {
    try Row.fetchAll(
      database, sql: "SELECT \(columns) FROM session ORDER BY last_seen_at DESC, session_id"
    ).map(session)
  }

  static func insert(_ session: Session, in database: Database) throws {
    try database.execute(
      sql: "INSERT INTO session (\(columns)) VALUES (?, ?, ?, ?, ?, ?, ?)",
      arguments: [
        Data(session.id), session.user, session.fingerprint.map { Data($0) },
        session.createdAt.storedSeconds, session.lastSeenAt.storedSeconds,
        String(session.peer.prefix(64)),
        String(session.userAgent.prefix(Session.userAgentLimit)),
      ])
  }

  /// Sets the time of the last request of a session and of its user, unless a later one is stored.
  static func note(_ id: [UInt8], seenAt: Date, in database: Database) throws {
    let user = try Int64.fetchOne(
      database,
      sql: """
        UPDATE session SET last_seen_at = ?1 WHERE session_id = ?2 AND last_seen_at < ?1
        RETURNING user_key
        """, arguments: [seenAt.storedSeconds, Data(id)])
    if let user { try UserTable.note(user, seenAt: seenAt, in: database) }
  }

  static func delete(_ id: [UInt8], in database: Database) throws {
    try database.execute(sql: "DELETE FROM session WHERE session_id = ?", arguments: [Data(id)])
  }

  /// Deletes the sessions of a user but one.
  static func deleteAll(
    of user: User.ID, except id: [UInt8]?, in database: Database
  ) throws {
    try database.execute(
      sql: "DELETE FROM session WHERE user_key = ? AND session_id IS NOT ?",
      arguments: [user, id.map { Data($0) }])
  }

  /// Deletes the sessions that have expired at a time.
  static func deleteExpired(at now: Date, in database: Database) throws {
    let idle = Int64(Session.idleSeconds)
    try database.execute(
      sql: "DELETE FROM session WHERE abs(last_seen_at - ?) >= ?",
      arguments: [now.storedSeconds, idle])
  }

  private static func session(_ row: Row) -> Session {
    let id: Data = row["session_id"]
    let fingerprint: Data? = row["fingerprint"]
    return Session(
      id: Array(id), user: row["user_key"], fingerprint: fingerprint.map { Array($0) },
      createdAt: Date(storedSeconds: row["created_at"]),
      lastSeenAt: Date(storedSeconds: row["last_seen_at"]),
      peer: row["peer"], userAgent: row["user_agent"])
  }
}
