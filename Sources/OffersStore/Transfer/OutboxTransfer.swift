import Foundation
import OffersCore

/// The watches, notices, channels, deliveries and hidings of all users of a database, for a copy in another one. Secrets
/// are not in it: they are in a file of the machine.
package struct OutboxRows: Sendable {
  /// The rows of each table of `CopiedTable.all`, by its name.
  fileprivate var rows: [String: [[SQLValue]]] = [:]
  /// What watches remember of offers, whose keys differ between databases.
  fileprivate var states: [WatchedOffer] = []
  /// The names of the users by their keys.
  fileprivate var users: [User.ID: String] = [:]
  /// The identity of the database (`OffersDatabase.fetchIdentity`).
  fileprivate var identity = ""
  /// The key with which messages to browsers are signed, to which their subscriptions are bound.
  fileprivate var pushKey: [UInt8]?

  /// Whether there is no row.
  package var isEmpty: Bool { rows.values.allSatisfy(\.isEmpty) }

  fileprivate struct WatchedOffer: Sendable {
    let watch: Watch.ID
    let ref: OfferRef
    let state: String
    let remindAt: Int64?
  }
}

/// A table whose rows are copied with their keys.
private struct CopiedTable {
  enum Kind { case number, flag, text, bytes }

  let name: String
  /// The key, by which rows are ordered; nil if another table gives it.
  let key: String?
  let columns: KeyValuePairs<String, Kind>

  /// Each table behind those that it refers to. The leases of channels belong to processes, and are left out.
  static let all = [
    CopiedTable(
      name: "watch", key: "watch_key",
      columns: [
        "watch_key": .number, "user_key": .number, "name": .text, "selection": .text,
        "first_words": .text, "rule": .text, "repeats": .text, "is_urgent": .flag,
        "is_timed": .flag, "created_at": .number, "paused_at": .number,
      ]),
    CopiedTable(
      name: "user_notice", key: "notice_key",
      columns: [
        "notice_key": .number, "user_key": .number, "watch_key": .number, "subject": .text,
        "at": .number, "feed": .text, "id": .text, "name": .text, "reason": .text,
        "is_urgent": .flag,
      ]),
    CopiedTable(
      name: "channel", key: "channel_key",
      columns: [
        "channel_key": .number, "user_key": .number, "name": .text, "folded_name": .text,
        "settings": .text, "quiet_hours": .text, "is_default": .flag, "created_at": .number,
        "ended_reason": .text, "failure_count": .number, "failing_since": .number,
        "next_attempt_at": .number, "last_error": .text, "delivered_at": .number,
      ]),
    CopiedTable(
      name: "delivery", key: nil,
      columns: [
        "channel_key": .number, "notice_key": .number, "state": .text, "message_id": .text,
        "begun_at": .number, "ended_at": .number,
      ]),
    CopiedTable(
      name: "feed_address", key: "address_key",
      columns: [
        "address_key": .number, "user_key": .number, "subject": .text, "hash": .bytes,
        "created_at": .number, "last_used_at": .number,
      ]),
    CopiedTable(
      name: "hiding", key: "hiding_key",
      columns: [
        "hiding_key": .number, "user_key": .number, "selection": .text, "feed": .text,
        "id": .text, "created_at": .number,
      ]),
  ]

  private var names: String { columns.map(\.key).joined(separator: ", ") }

  func rows(in transaction: any Transaction) throws -> [[SQLValue]] {
    var rows: [[SQLValue]] = []
    try transaction.forEach(
      "SELECT \(names) FROM \(name) ORDER BY \(key ?? "channel_key, notice_key")"
    ) { row in
      rows.append(
        columns.enumerated().map { place, column in
          switch column.value {
          case .number: .number(row.findNumber(place))
          case .flag: .flag(row.flag(place))
          case .text: .text(row.findText(place))
          case .bytes: .bytes(row.findBlob(place))
          }
        })
    }
    return rows
  }

  /// Inserts rows of a database with other keys of users. Later rows get larger keys.
  func insert(
    _ rows: [[SQLValue]], users: [User.ID: User.ID], in transaction: any Transaction
  ) throws {
    let parameters = columns.indices.map { "$\($0 + 1)" }.joined(separator: ", ")
    let user = columns.firstIndex { $0.key == "user_key" }
    for var row in rows {
      if let user, case .number(let old?) = row[user] {
        guard let new = users[old] else { continue }
        row[user] = .number(new)
      }
      try transaction.run(
        "INSERT INTO \(name) (\(names)) VALUES (\(parameters)) ON CONFLICT DO NOTHING", row)
    }
    if let key, let next = transaction.dialect.continuation(of: key, in: name) {
      _ = try transaction.first(next) { $0.findNumber(0) }
    }
  }
}

extension OffersDatabase {
  /// Reads the watches, notices, channels and deliveries of all users. They are in memory.
  package func fetchOutbox() async throws(OffersError) -> OutboxRows {
    try await transaction(.read) { transaction in
      var outbox = OutboxRows()
      for user in try UserTable.list(in: transaction) { outbox.users[user.id] = user.name }
      for table in CopiedTable.all { outbox.rows[table.name] = try table.rows(in: transaction) }
      try transaction.forEach(
        """
        SELECT watch_state.watch_key, feed.name, offer.id, watch_state.state, watch_state.remind_at
        FROM watch_state JOIN offer ON offer.offer_key = watch_state.offer_key
        JOIN feed ON feed.feed_key = offer.feed_key
        ORDER BY watch_state.offer_key, watch_state.watch_key
        """
      ) { row in
        outbox.states.append(
          OutboxRows.WatchedOffer(
            watch: row.number(0), ref: OfferRef(feed: row.text(1), offerID: row.text(2)),
            state: row.text(3), remindAt: row.findNumber(4)))
      }
      outbox.identity = try StoreIdentity.fetch(in: transaction)
      outbox.pushKey = try ServerKeyTable.find(Self.pushKeyPurpose, in: transaction)
      return outbox
    }
  }

  /// Stores the watches, notices, channels and deliveries of a database whose export was imported here. Watches and
  /// channels get the numbers that they have there, and deliveries that wait there wait here.
  ///
  /// - Returns: false if the users of this database were told something already. Then nothing is written, so that a
  ///   second call tells nothing twice.
  @discardableResult
  package func putOutbox(_ outbox: OutboxRows) async throws(OffersError) -> Bool {
    try await transaction(.removal) { transaction in
      if try transaction.exists("SELECT 1 FROM user_notice LIMIT 1") { return false }
      var users: [User.ID: User.ID] = [:]
      for (id, name) in outbox.users {
        users[id] = try UserTable.find(named: name, in: transaction)?.id
      }
      // The import has numbered them anew.
      try transaction.run("DELETE FROM watch")
      try transaction.run("DELETE FROM channel")
      for table in CopiedTable.all {
        try table.insert(outbox.rows[table.name] ?? [], users: users, in: transaction)
      }
      try Self.putStates(outbox.states, in: transaction)
      try StoreIdentity.put(outbox.identity, in: transaction)
      if let key = outbox.pushKey {
        try transaction.run(
          "DELETE FROM server_key WHERE purpose = $1", [.text(Self.pushKeyPurpose)])
        try ServerKeyTable.insert(key, for: Self.pushKeyPurpose, in: transaction)
      }
      return true
    }
  }

  private static func putStates(
    _ states: [OutboxRows.WatchedOffer], in transaction: any Transaction
  ) throws {
    for start in stride(from: 0, to: states.count, by: 1000) {
      let piece = states[start..<min(start + 1000, states.count)]
      let new = transaction.dialect.table(
        [
          "feed": .texts(piece.map(\.ref.feed)), "id": .texts(piece.map(\.ref.offerID)),
          "watch_key": .numbers(piece.map(\.watch)), "state": .texts(piece.map(\.state)),
          "remind_at": .numbers(piece.map(\.remindAt)),
        ], as: "new")
      // An offer that only a search found is not exported.
      try transaction.run(
        """
        INSERT INTO watch_state (offer_key, watch_key, state, remind_at)
        SELECT offer.offer_key, new.watch_key, new.state, new.remind_at FROM \(new.sql)
        JOIN feed ON feed.name = new.feed
        JOIN offer ON offer.feed_key = feed.feed_key AND offer.id = new.id
        WHERE EXISTS (SELECT 1 FROM watch WHERE watch.watch_key = new.watch_key)
        """, new.values)
    }
  }
}
