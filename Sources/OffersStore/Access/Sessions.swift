import Foundation
import OffersCore

extension OffersDatabase {
  /// The session with an id; nil if there is none. An expired one is returned as well.
  package func findSession(_ id: [UInt8]) async throws(OffersError) -> Session? {
    try await transaction(.query) { try SessionTable.find(id, in: $0) }
  }

  /// All sessions, the last seen one first, expired ones included.
  package func fetchSessions() async throws(OffersError) -> [Session] {
    try await transaction(.query) { try SessionTable.list(in: $0) }
  }

  /// Stores a new session durably, and removes expired ones.
  ///
  /// - Throws: `OffersError.accessEnded` or `.roleChanged` if the ground of the login is no longer true;
  ///   `notFound` for an unknown user.
  package func putSession(_ session: Session, on ground: SessionGround) async throws(OffersError) {
    try await transaction(.write) { transaction in
      try UserTable.check(session.user, isExclusive: true, in: transaction)
      try ground.check(for: session.user, in: transaction)
      try SessionTable.deleteExpired(at: session.createdAt, in: transaction)
      try SessionTable.insert(session, in: transaction)
      try UserTable.note(session.user, seenAt: session.createdAt, in: transaction)
    }
  }

  /// Checks the permit of the current task, as each write does, before a change that is not of the store.
  ///
  /// - Throws: `OffersError.accessEnded`, or `.roleChanged`.
  package func checkPermit() async throws(OffersError) {
    guard let permit = WritePermit.current else { return }
    try await transaction(.query) { try permit.check(in: $0) }
  }

  /// Records that a session and its user were seen, unless a later time is stored. Does not wait for the write,
  /// which may fail or be lost.
  package func noteSession(_ id: [UInt8], seenAt: Date) {
    writeLater { try SessionTable.note(id, seenAt: seenAt, in: $0) }
  }

  /// Removes sessions durably; an id without a session is ignored.
  package func endSessions(_ ids: [[UInt8]]) async throws(OffersError) {
    if ids.isEmpty { return }
    try await transaction(.repeatableWrite) { transaction in
      // In one order, so that two nodes do not wait for each other.
      for id in ids.sorted(by: { $0.lexicographicallyPrecedes($1) }) {
        try SessionTable.delete(id, in: transaction)
      }
    }
  }
}

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
        .date(session.createdAt), .date(session.lastSeenAt), .text(truncated(session.peer, 64)),
        .text(truncated(session.userAgent, Session.userAgentLimit)),
      ])
    try transaction.run(
      """
      DELETE FROM session WHERE session_id IN (
        SELECT session_id FROM session WHERE user_key = $1 AND session_id <> $2
        ORDER BY last_seen_at DESC, session_id DESC
        \(transaction.dialect.offset(String(Session.limit - 1))))
      """, [.number(session.user), .bytes(session.id)])
  }

  /// The first Unicode scalars of a text from a client, with U+FFFD for each U+0000.
  private static func truncated(_ text: String, _ limit: Int) -> String {
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

extension WritePermit {
  /// Checks that the user, their role and their session or token are as they were.
  ///
  /// - Parameter isExclusive: whether to lock the row of the user first. A transaction that changes the
  ///   role or the logins of a user locks it, too, so that none commits between this check and the end of
  ///   this transaction.
  /// - Throws: `OffersError.accessEnded`, or `.roleChanged`.
  func check(isExclusive: Bool = false, in transaction: any Transaction) throws {
    if isExclusive { try UserTable.lock(user, in: transaction) }
    let role = try UserTable.find(user, in: transaction)?.role
    guard let role, try isProven(in: transaction) else { throw OffersError.accessEnded }
    if role != self.role { throw OffersError.roleChanged }
  }

  private func isProven(in transaction: any Transaction) throws -> Bool {
    switch proof {
    case .session(let id): try SessionTable.find(id, in: transaction)?.user == user
    case .token(let id): try CredentialTable.hasToken(id, of: user, in: transaction)
    case .none: true
    }
  }
}

extension SessionGround {
  /// Checks that the ground of a login is true.
  ///
  /// - Throws: as `WritePermit.check`.
  func check(for user: User.ID, in transaction: any Transaction) throws {
    let isTrue: Bool
    switch self {
    case .passphrase(let hash):
      isTrue = try CredentialTable.findPassphrase(of: user, in: transaction) == hash
    case .identity(let identity):
      isTrue = try IdentityTable.findUser(with: identity, in: transaction) == user
    case .invitation(let permit): return try permit.check(in: transaction)
    case .token: return
    }
    guard isTrue else { throw OffersError.accessEnded }
  }
}

extension TransactionMode {
  /// The permit that a transaction checks first: that of the current task, for a write that is asked for.
  var permit: WritePermit? {
    switch self {
    case .write, .removal, .repeatableWrite, .favorites: WritePermit.current
    default: nil
    }
  }
}
