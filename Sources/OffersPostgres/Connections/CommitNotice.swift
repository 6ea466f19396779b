import OffersCore

/// A notice that hints at a commit: the number that it has given to a shard of `commit_count`.
///
/// The notice is sent after the commit, in one message with it, and not in the transaction: a transaction that
/// sends notices holds a lock of the whole server while it commits, and waits for the disk and the
/// standbys meanwhile, so that no other such transaction could commit at the same time.
/// https://www.postgresql.org/docs/current/sql-notify.html
struct CommitNotice: Equatable {
  static let channel = "offers_commit"

  let shard: Int64
  let number: Int64
  /// How much smaller the number of the shard was before the commit.
  let step: Int64

  /// The statement that sends the notice.
  var sql: String { "NOTIFY \(Self.channel), '\(shard) \(number)'" }
}
