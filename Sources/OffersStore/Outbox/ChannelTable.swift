import Foundation
import OffersCore

/// The SQL for channels.
enum ChannelTable {
  /// The most channels of a user.
  static let limit = 20

  private static let columns = """
    channel.channel_key, channel.name, channel.settings, channel.quiet_hours, channel.is_default,
    channel.created_at, channel.ended_reason, channel.failure_count, channel.failing_since,
    channel.next_attempt_at, channel.last_error, channel.delivered_at,
    (SELECT count(*) FROM delivery
      WHERE delivery.channel_key = channel.channel_key AND delivery.state = 'waiting'),
    channel.user_key
    """

  private static func channel(_ row: any SQLRow) -> UserChannel {
    UserChannel(
      id: row.number(0), name: row.text(1), settings: row.text(2),
      quietHours: row.findText(3).flatMap { try? QuietHours(parsing: $0) }, isDefault: row.flag(4),
      createdAt: row.date(5), endedReason: row.findText(6), failureCount: row.count(7),
      failingSince: row.findDate(8), nextAttemptAt: row.findDate(9), lastError: row.findText(10),
      deliveredAt: row.findDate(11), waitingCount: row.count(12))
  }

  /// The channels of a user in the order in which they were added.
  static func list(of user: User.ID, in transaction: any Transaction) throws -> [UserChannel] {
    try transaction.rows(
      "SELECT \(columns) FROM channel WHERE user_key = $1 ORDER BY channel_key", [.number(user)],
      channel)
  }

  /// The channels of all users, with their users.
  static func all(in transaction: any Transaction) throws -> [(channel: UserChannel, user: User.ID)]
  {
    try transaction.rows("SELECT \(columns) FROM channel ORDER BY channel_key") {
      (channel($0), $0.number(13))
    }
  }

  /// A channel of a user, by its name without regard to case; the default for nil.
  ///
  /// - Throws: `OffersError` with `notFound`, whose hint names the channel that was probably meant.
  static func fetch(
    named name: String?, of user: User.ID, in transaction: any Transaction
  ) throws -> UserChannel {
    let all = try list(of: user, in: transaction)
    guard let name else {
      if let channel = all.first(where: \.isDefault) ?? all.first { return channel }
      throw OffersError(
        .notFound, "There is no channel.", hint: Hint("Add one.", command: "offers channel add"))
    }
    if let channel = all.first(where: { User.folded($0.name) == User.folded(name) }) {
      return channel
    }
    throw OffersError(
      .notFound, "There is no channel “\(SafeText.line(name, characters: 80))”.",
      hint: NearestWord.hint(for: name, among: all.map(\.name), title: "Channels"))
  }

  /// The channels of a user for an export, the default first. A program belongs to one machine, and its arguments may be
  /// secrets, so that channels that run one are left out.
  static func exported(
    of user: User.ID, in transaction: any Transaction
  ) throws -> [ExportedUser.Channel] {
    try list(of: user, in: transaction).sorted { $0.isDefault && !$1.isDefault }
      .filter { isPortable($0.settings) }
      .map {
        ExportedUser.Channel(
          name: $0.name, settings: $0.settings, quietHours: $0.quietHours?.description)
      }
  }

  /// Whether a channel of these settings may be in an export: no program is run, and no variable of the environment is
  /// sent, because a document says so, and the subscription of a browser is bound to a key of its server.
  static func isPortable(_ settings: String) -> Bool {
    struct Settings: Decodable {
      let kind: String
      let words: [String]
      let options: [String: String]
    }
    guard let settings = try? JSONDecoder().decode(Settings.self, from: Data(settings.utf8)) else {
      return false
    }
    let isForeign = (settings.words + settings.options.values).contains { text in
      text.utf8.split(separator: "{env:".utf8, omittingEmptySubsequences: false).dropFirst()
        .contains {
          !$0.starts(with: "OFFERS_CHANNEL_".utf8)
        }
    }
    return !["command", "webpush"].contains(settings.kind) && settings.options["sendmail"] == nil
      && !isForeign
  }

  /// Locks a channel of any user, and reads it; nil if it was removed.
  static func lock(
    _ id: UserChannel.ID, in transaction: any Transaction
  ) throws -> (channel: UserChannel, user: User.ID)? {
    let dialect = transaction.dialect
    let isThere = try transaction.exists(
      "SELECT 1 FROM channel WHERE channel_key = $1 \(dialect.forUpdate)", [.number(id)])
    if !isThere { return nil }
    return try transaction.first(
      "SELECT \(columns) FROM channel WHERE channel_key = $1", [.number(id)]
    ) { (channel($0), $0.number(13)) }
  }

  static func insert(
    _ name: String, settings: String, quietHours: QuietHours?, of user: User.ID, at now: Date,
    in transaction: any Transaction
  ) throws {
    let others = try list(of: user, in: transaction)
    if others.count >= limit {
      throw OffersError(
        .invalidRequest, "A user has at most \(limit) channels.",
        hint: Hint("Remove one.", command: "offers channel remove NAME"))
    }
    if let other = others.first(where: { User.folded($0.name) == User.folded(name) }) {
      throw OffersError(
        .invalidRequest, "There is a channel “\(other.name)” already.",
        hint: Hint(
          "Choose another name, or remove it first.", command: "offers channel remove NAME"))
    }
    try transaction.run(
      """
      INSERT INTO channel (user_key, name, folded_name, settings, quiet_hours, is_default, created_at)
      VALUES ($1, $2, $3, $4, $5, $6, $7)
      """,
      [
        .number(user), .text(name), .text(User.folded(name)), .text(settings),
        .text(quietHours?.description), .flag(others.isEmpty), .date(now),
      ])
  }

  /// Replaces the settings of a channel, which begins anew: what waits is tried at once.
  static func update(
    _ id: UserChannel.ID, settings: String, quietHours: QuietHours?, in transaction: any Transaction
  ) throws {
    // An attempt under way that has other settings records nothing.
    try transaction.run(
      """
      UPDATE channel SET settings = $2, quiet_hours = $3,
        lease_mark = CASE WHEN settings = $2 THEN lease_mark END,
        leased_until = CASE WHEN settings = $2 THEN leased_until END
      WHERE channel_key = $1
      """,
      [.number(id), .text(settings), .text(quietHours?.description)])
    try retry(id, in: transaction)
  }

  /// Lets the next run try what waits, also over a channel that had ended.
  static func retry(_ id: UserChannel.ID, in transaction: any Transaction) throws {
    try transaction.run(
      """
      UPDATE channel SET ended_reason = NULL, failure_count = 0, failing_since = NULL,
        next_attempt_at = NULL, last_error = NULL
      WHERE channel_key = $1
      """, [.number(id)])
  }

  /// Makes a channel the default of its user.
  static func setDefault(
    _ id: UserChannel.ID, of user: User.ID, in transaction: any Transaction
  ) throws {
    try transaction.run(
      "UPDATE channel SET is_default = (channel_key = $2) WHERE user_key = $1",
      [.number(user), .number(id)])
  }

  /// Removes a channel of a user. If it was the default, the oldest of the others becomes it.
  static func remove(
    _ channel: UserChannel, of user: User.ID, in transaction: any Transaction
  ) throws {
    try transaction.run("DELETE FROM channel WHERE channel_key = $1", [.number(channel.id)])
    if channel.isDefault, let next = try list(of: user, in: transaction).first {
      try setDefault(next.id, of: user, in: transaction)
    }
  }

  /// The channels of all users over which something may be delivered now, those that failed least first, so that slow
  /// ones of others hold them up least: not those that have ended, that wait for
  /// their next attempt, or that another process delivers over.
  static func due(at now: Date, in transaction: any Transaction) throws -> [UserChannel.ID] {
    try transaction.rows(
      """
      SELECT channel_key FROM channel
      WHERE ended_reason IS NULL AND \(end(of: "next_attempt_at", nextAttemptSeconds)) <= $1
        AND \(end(of: "leased_until", leaseSeconds)) <= $1
        AND EXISTS (SELECT 1 FROM delivery
          WHERE delivery.channel_key = channel.channel_key AND delivery.state = 'waiting')
      ORDER BY failure_count, channel_key
      """, [.date(now)]
    ) { $0.number(0) }
  }

  /// The time at which the first of the channels of all users may deliver what waits for it, behind its next attempt,
  /// its quiet hours and the lease of another process; nil if nothing waits.
  static func nextDueTime(after now: Date, in transaction: any Transaction) throws -> Date? {
    let greatest = transaction.dialect.greatest
    return try transaction.rows(
      """
      SELECT \(greatest)($1, \(end(of: "next_attempt_at", nextAttemptSeconds)),
          \(end(of: "leased_until", leaseSeconds))), quiet_hours,
        EXISTS (SELECT 1 FROM delivery
          JOIN user_notice ON user_notice.notice_key = delivery.notice_key
          WHERE delivery.channel_key = channel.channel_key AND delivery.state = 'waiting'
            AND user_notice.is_urgent)
      FROM channel
      WHERE ended_reason IS NULL AND EXISTS (SELECT 1 FROM delivery
        WHERE delivery.channel_key = channel.channel_key AND delivery.state = 'waiting')
      ORDER BY channel_key
      """, [.date(now)]
    ) { row in
      let time = row.date(0)
      if row.flag(2) { return time }
      let quiet = row.findText(1).flatMap { try? QuietHours(parsing: $0) }
      return quiet?.end(ofThoseAt: time) ?? time
    }.min()
  }

  /// The SQL for the end of a wait at the time $1, which is $1 for none. A time too late to be that of a wait is one of
  /// a wrong clock.
  private static func end(of column: String, _ mostSeconds: Double) -> String {
    """
    CASE WHEN \(column) - \(Int(mostSeconds)) > $1 THEN $1 ELSE coalesce(\(column), $1) END
    """
  }

  /// The time for which a channel is given to a process: an attempt takes at most `DeliveryOutcome.seconds`.
  private static let leaseSeconds = 3 * DeliveryOutcome.seconds
  /// The longest wait between two attempts.
  private static let nextAttemptSeconds = UserChannel.triedSeconds

  /// Gives the channel to a process, unless another one has it, or the next attempt is not due.
  ///
  /// - Returns: whether the process has it.
  static func lease(
    _ id: UserChannel.ID, mark: String, at now: Date, in transaction: any Transaction
  ) throws -> Bool {
    try transaction.run(
      """
      UPDATE channel SET lease_mark = $3, leased_until = $4
      WHERE channel_key = $2 AND \(end(of: "next_attempt_at", nextAttemptSeconds)) <= $1
        AND \(end(of: "leased_until", leaseSeconds)) <= $1
      """, [.date(now), .number(id), .text(mark), .date(now + leaseSeconds)]) > 0
  }

  /// Ends a lease without an attempt, which counts as no failure.
  ///
  /// - Parameters:
  ///   - reason: why there was none; nil if there was nothing to deliver.
  ///   - time: when the channel is due again; nil for at once.
  static func release(
    _ id: UserChannel.ID, mark: String, because reason: String? = nil, until time: Date? = nil,
    in transaction: any Transaction
  ) throws {
    try transaction.run(
      """
      UPDATE channel SET lease_mark = NULL, leased_until = NULL,
        last_error = coalesce($3, last_error), next_attempt_at = coalesce($4, next_attempt_at)
      WHERE channel_key = $1 AND lease_mark = $2
      """, [.number(id), .text(mark), .text(reason), .date(time)])
  }

  /// Ends a lease and records how the attempt ended.
  ///
  /// - Returns: whether the process still had the channel. Otherwise nothing is written.
  static func finish(
    _ id: UserChannel.ID, mark: String, _ outcome: DeliveryOutcome, at now: Date,
    in transaction: any Transaction
  ) throws -> Bool {
    let release = "lease_mark = NULL, leased_until = NULL"
    let isOwn = "channel_key = $1 AND lease_mark = $2"
    let own: [SQLValue] = [.number(id), .text(mark)]
    switch outcome {
    case .delivered:
      return try transaction.run(
        """
        UPDATE channel SET \(release), failure_count = 0, failing_since = NULL, next_attempt_at = NULL,
          last_error = NULL, delivered_at = $3
        WHERE \(isOwn)
        """, own + [.date(now)]) > 0
    case .later(let after, let reason):
      let count = try transaction.first(
        "SELECT failure_count FROM channel WHERE channel_key = $1", [.number(id)]
      ) { $0.count(0) }
      let failures = (count ?? 0) + 1
      let next = now + UserChannel.backoffSeconds(after: failures)
      return try transaction.run(
        """
        UPDATE channel SET \(release), failure_count = $3,
          failing_since = coalesce(failing_since, $4), next_attempt_at = $5, last_error = $6
        WHERE \(isOwn)
        """,
        own + [
          .count(failures), .date(now), .date(after.map { max($0, next) } ?? next), .text(reason),
        ]) > 0
    case .refused(let reason):
      // Others may be taken, so that the next one is not delayed.
      return try transaction.run(
        """
        UPDATE channel SET \(release), failure_count = 0, failing_since = NULL, next_attempt_at = NULL,
          last_error = $3
        WHERE \(isOwn)
        """, own + [.text(reason)]) > 0
    case .ended(let reason):
      return try transaction.run(
        "UPDATE channel SET \(release), ended_reason = $3, last_error = $3 WHERE \(isOwn)",
        own + [.text(reason)]) > 0
    }
  }
}
