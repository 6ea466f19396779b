import Foundation
import OffersCore

/// The right to sync a feed, for a limited time by the clock of the database.
///
/// The lease is renewed while the sync goes on. If the program stops or loses its connection, the lease
/// expires and another program can take it. The old token is invalid then, and the commit of the old sync is
/// refused.
struct SyncLease: Sendable {
  let feed: String
  let token: Int64

  let times: LeaseTimes

  /// The leases of the running sync or import, for the calls that it makes to the stores, by their
  /// databases (`Database`): a task may use several, such as one that moves records between them.
  @TaskLocal static var held: [ObjectIdentifier: [SyncLease]] = [:]

  /// Takes the lease of a feed; nil if another program has it.
  static func take(
    _ feed: String, for times: LeaseTimes, in connection: Connection
  ) throws -> SyncLease? {
    let row = try connection.rows(
      """
      INSERT INTO sync_lease AS lease (feed, token, until)
      VALUES ($1, 1, \(times.end))
      ON CONFLICT (feed) DO UPDATE SET token = lease.token + 1,
        until = \(times.end)
      WHERE lease.until IS NULL OR lease.until <= clock_timestamp()
      RETURNING token
      """, [.text(feed)]
    ).first
    return row.map { SyncLease(feed: feed, token: $0.number(0), times: times) }
  }

  /// A text that changes when the lease of a feed is taken or renewed; nil if nobody has the lease.
  static func findRenewal(of feed: String, in connection: Connection) throws -> String? {
    try connection.rows(
      """
      SELECT pg_catalog.concat_ws(' ', token, extract(epoch FROM until)) FROM sync_lease
      WHERE feed = $1 AND until IS NOT NULL
      """, [.text(feed)]
    ).first?.text(0)
  }

  /// Renews the lease.
  ///
  /// - Throws: `OffersError` with `locked` if another program has it.
  func renew(in connection: Connection) throws {
    let count = try connection.run(
      """
      UPDATE sync_lease SET until = \(times.end)
      WHERE feed = $1 AND token = $2 AND until IS NOT NULL
      """, [.text(feed), .number(token)])
    if count == 0 { throw lost }
  }

  /// Gives the lease back, if it is not another program's by now.
  func end(in connection: Connection) throws {
    try connection.run(
      "UPDATE sync_lease SET until = NULL WHERE feed = $1 AND token = $2",
      [.text(feed), .number(token)])
  }

  /// Refuses the commit of a sync whose lease another program was given. Otherwise no other program
  /// gets it before the transaction ends.
  func check(in connection: Connection) throws {
    let count = try connection.run(
      "SELECT 1 FROM sync_lease WHERE feed = $1 AND token = $2 AND until IS NOT NULL FOR UPDATE",
      [.text(feed), .number(token)])
    if count == 0 { throw lost }
  }

  private var lost: OffersError {
    OffersError(
      .locked, "Another program is syncing \(feed), because this one did not go on for a while.",
      hint: "Nothing was changed. Wait for it, then sync again.")
  }
}

extension LeaseTimes {
  /// The end of a lease that is taken or renewed now, by the clock of the database.
  fileprivate var end: String { "clock_timestamp() + interval '\(seconds) seconds'" }
}
