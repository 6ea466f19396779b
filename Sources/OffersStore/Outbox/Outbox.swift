import Foundation
import OffersCore

/// A message that a process is to deliver over a channel, and nobody else until the lease ends.
package struct ClaimedMessage: Sendable {
  package let channel: UserChannel
  package let user: User.ID
  /// The identity of the message, the same at each attempt.
  package let id: String
  /// Its notices, oldest first.
  package let notices: [Notice]
  fileprivate let mark: String
}

extension OffersDatabase {
  /// The channels of all users over which something may be delivered now.
  package func fetchDueChannels(at now: Date) async throws(OffersError) -> [UserChannel.ID] {
    try await transaction(.query) { try ChannelTable.due(at: now, in: $0) }
  }

  /// Claims the next message of a channel: the one that was tried before, or a new one of all notices that wait. In the
  /// channel's quiet hours, a new one has urgent ones only, and one that was tried before has one at least.
  ///
  /// - Returns: nil if nothing may be delivered now, or another process delivers.
  package func claimMessage(
    of channel: UserChannel.ID, at clock: @autoclosure @escaping @Sendable () -> Date
  ) async throws(OffersError) -> ClaimedMessage? {
    let mark = Self.makeMark()
    return try await transaction(.write) { transaction in
      // Behind the wait for other writers, which may be long.
      let now = clock()
      guard let (channel, user) = try ChannelTable.lock(channel, in: transaction),
        channel.endedReason == nil
      else { return nil }
      let isQuiet = channel.quietHours?.end(ofThoseAt: now) != nil
      if isQuiet, try !DeliveryTable.hasUrgent(of: channel.id, in: transaction) { return nil }
      guard
        try ChannelTable.lease(channel.id, mark: mark, at: now, in: transaction)
      else { return nil }
      guard
        let id = try DeliveryTable.nextMessage(
          of: channel.id, isUrgent: isQuiet, makeID: Self.makeMark, at: now, in: transaction)
      else {
        try ChannelTable.release(channel.id, mark: mark, in: transaction)
        return nil
      }
      let notices = try DeliveryTable.notices(of: id, channel.id, in: transaction)
      return ClaimedMessage(channel: channel, user: user, id: id, notices: notices, mark: mark)
    }
  }

  /// Gives a message back without an attempt, which counts as no failure: another process may have what this one lacks.
  /// The channel is due again after some minutes.
  package func release(
    _ message: ClaimedMessage, because reason: String, at now: Date
  ) async throws(OffersError) {
    try await transaction(.write) { transaction in
      try ChannelTable.release(
        message.channel.id, mark: message.mark, because: reason, until: now + 300, in: transaction)
      _ = try DeliveryTable.endOld(of: message.channel.id, at: now, in: transaction)
    }
  }

  /// Records how the attempt of a message ended. A process that has lost its lease records nothing: another one tries
  /// the message again, with the same identity.
  ///
  /// - Returns: the number of notices that are lost over the channel from now on.
  @discardableResult
  package func finish(
    _ message: ClaimedMessage, _ outcome: DeliveryOutcome, at now: Date
  ) async throws(OffersError) -> Int {
    try await transaction(.write) { transaction in
      let isOwn = try ChannelTable.finish(
        message.channel.id, mark: message.mark, outcome, at: now, in: transaction)
      if !isOwn { return 0 }
      switch outcome {
      case .delivered:
        try DeliveryTable.end(
          message.id, message.channel.id, as: .delivered, at: now, in: transaction)
        return 0
      case .refused:
        return try DeliveryTable.end(
          message.id, message.channel.id, as: .lost, at: now, in: transaction)
      case .later, .ended:
        return try DeliveryTable.endOld(of: message.channel.id, at: now, in: transaction)
      }
    }
  }

  /// A random text of 128 bits, for URLs.
  private static func makeMark() -> String {
    var generator = SystemRandomNumberGenerator()
    let hex = [generator.next() as UInt64, generator.next()].map { number in
      let text = String(number, radix: 16)
      return String(repeating: "0", count: 16 - text.count) + text
    }
    return hex.joined()
  }
}

extension OffersDatabase {
  /// The channels of the user in the order in which they were added.
  public func fetchChannels() async throws(OffersError) -> [UserChannel] {
    try await transaction(.query) { [user] in try ChannelTable.list(of: user, in: $0) }
  }

  /// A channel of the user, by its name without regard to case; the default for nil.
  ///
  /// - Throws: `OffersError` with `notFound`.
  public func fetchChannel(named name: String?) async throws(OffersError) -> UserChannel {
    try await transaction(.read) { [user] in
      try ChannelTable.fetch(named: name, of: user, in: $0)
    }
  }

  /// Adds a channel. The first one of a user is the default.
  ///
  /// - Parameters:
  ///   - name: its name, which follows the rules of the names of users.
  ///   - settings: its settings without secrets, as JSON.
  ///   - quietHours: the hours in which only urgent notices are delivered.
  /// - Throws: `OffersError` with `invalidRequest` for an invalid name, one that another channel has, and too many
  ///   channels.
  package func addChannel(
    named name: String, settings: String, quietHours: QuietHours?, now: Date = Date()
  ) async throws(OffersError) -> UserChannel {
    guard User.isPlain(name, maximum: 64) else {
      throw OffersError(
        .invalidRequest, "“\(SafeText.line(name, characters: 80))” is no name for a channel.",
        hint: "A name has 1 to 64 characters, in one line, without spaces at its ends.")
    }
    return try await transaction(.write) { [user] transaction in
      try UserTable.check(user, isExclusive: true, in: transaction)
      try ChannelTable.insert(
        name, settings: settings, quietHours: quietHours, of: user, at: now, in: transaction)
      return try ChannelTable.fetch(named: name, of: user, in: transaction)
    }
  }

  /// Adds the channel of a browser's subscription. A subscription belongs to one user: a channel of another user with
  /// the same one is removed, and one of the user is set up again, with its name and what waits for it.
  ///
  /// - Parameters:
  ///   - name: the name of a new channel. A number is added if another channel has it.
  ///   - settings: its settings as JSON.
  ///   - isSame: whether settings are of the same subscription.
  /// - Throws: `OffersError` with `invalidRequest` for too many channels.
  package func subscribe(
    named name: String, settings: String, now: Date = Date(),
    isSame: @escaping @Sendable (_ settings: String) -> Bool
  ) async throws(OffersError) -> UserChannel {
    try await transaction(.write) { [user] transaction in
      try UserTable.check(user, isExclusive: true, in: transaction)
      var own: UserChannel?
      for (channel, owner) in try ChannelTable.all(in: transaction) where isSame(channel.settings) {
        if owner == user, own == nil {
          own = channel
        } else {
          try ChannelTable.remove(channel, of: owner, in: transaction)
        }
      }
      if let own {
        try ChannelTable.update(
          own.id, settings: settings, quietHours: own.quietHours, in: transaction)
        return try ChannelTable.fetch(named: own.name, of: user, in: transaction)
      }
      let taken = try ChannelTable.list(of: user, in: transaction).map { User.folded($0.name) }
      let names = [name] + (2...ChannelTable.limit).map { "\(name) \($0)" }
      let free = names.first { !taken.contains(User.folded($0)) } ?? name
      try ChannelTable.insert(
        free, settings: settings, quietHours: nil, of: user, at: now, in: transaction)
      return try ChannelTable.fetch(named: free, of: user, in: transaction)
    }
  }

  /// Changes a channel of the user. One that had ended begins anew.
  ///
  /// - Parameters:
  ///   - name: its name; nil for the default.
  ///   - settings: the new settings without secrets; nil to keep them.
  ///   - quietHours: the new quiet hours; nil to keep them, and `.some(nil)` for none.
  ///   - becomesDefault: whether it becomes the default.
  /// - Throws: `OffersError` with `notFound`.
  package func changeChannel(
    named name: String?, settings: String? = nil, quietHours: QuietHours?? = nil,
    becomesDefault: Bool = false
  ) async throws(OffersError) -> UserChannel {
    try await transaction(.write) { [user] transaction in
      let channel = try ChannelTable.fetch(named: name, of: user, in: transaction)
      try ChannelTable.update(
        channel.id, settings: settings ?? channel.settings,
        quietHours: quietHours ?? channel.quietHours, in: transaction)
      if becomesDefault { try ChannelTable.setDefault(channel.id, of: user, in: transaction) }
      return try ChannelTable.fetch(named: channel.name, of: user, in: transaction)
    }
  }

  /// Removes a channel of the user, with what waits for it.
  ///
  /// - Returns: the channel.
  /// - Throws: `OffersError` with `notFound`.
  @discardableResult
  public func removeChannel(named name: String) async throws(OffersError) -> UserChannel {
    try await transaction(.write) { [user] transaction in
      let channel = try ChannelTable.fetch(named: name, of: user, in: transaction)
      try ChannelTable.remove(channel, of: user, in: transaction)
      return channel
    }
  }

  /// Lets the next run try what waits over the user's channels, also over those that had ended.
  public func retryDeliveries() async throws(OffersError) {
    try await transaction(.write) { [user] transaction in
      for channel in try ChannelTable.list(of: user, in: transaction) {
        try ChannelTable.retry(channel.id, in: transaction)
      }
    }
  }

  /// The notices of the user, the newest first.
  ///
  /// - Parameters:
  ///   - watch: the watch; nil for the notices of all watches, favorites and feeds.
  ///   - id: only notices after the one with this number; nil for all that are kept, which is 30 days.
  ///   - limit: the most notices.
  public func fetchNotices(
    of watch: Watch.ID? = nil, after id: Notice.ID? = nil, limit: Int = 100
  ) async throws(OffersError) -> [Notice] {
    try await transaction(.query) { [user] in
      try UserNoticeTable.list(of: user, watch: watch, after: id, limit: limit, in: $0)
    }
  }

  /// The number of notices that `fetchNotices` returns without a limit.
  public func countNotices(
    of watch: Watch.ID? = nil, after id: Notice.ID? = nil
  ) async throws(OffersError) -> Int {
    try await transaction(.query) { [user] in
      try UserNoticeTable.count(of: user, watch: watch, after: id, in: $0)
    }
  }

  /// The number of deliveries of the user in a state.
  public func countDeliveries(_ state: Delivery.State) async throws(OffersError) -> Int {
    try await transaction(.query) { [user] in
      try DeliveryTable.count(of: user, state, in: $0)
    }
  }

  /// The deliveries of the user, the newest first.
  ///
  /// - Parameters:
  ///   - state: only deliveries of this state; nil for all.
  ///   - limit: the most deliveries.
  public func fetchDeliveries(
    _ state: Delivery.State? = nil, limit: Int = 100
  ) async throws(OffersError) -> [Delivery] {
    try await transaction(.query) { [user] in
      try DeliveryTable.list(of: user, state, limit: limit, in: $0)
    }
  }
}

/// The SQL for deliveries.
enum DeliveryTable {
  /// The most notices of a message.
  private static let messageLimit = 500

  /// The message to deliver next over a channel, which must be locked: the oldest that was tried before, else a new one
  /// of the notices that wait.
  ///
  /// - Parameter isUrgent: whether only a message with an urgent notice may be delivered.
  static func nextMessage(
    of channel: UserChannel.ID, isUrgent: Bool, makeID: () -> String, at now: Date,
    in transaction: any Transaction
  ) throws -> String? {
    let known = try transaction.first(
      """
      SELECT delivery.message_id FROM delivery
      JOIN user_notice ON user_notice.notice_key = delivery.notice_key
      WHERE delivery.channel_key = $1 AND delivery.state = 'waiting'
        AND delivery.message_id IS NOT NULL AND (user_notice.is_urgent OR NOT $2)
      ORDER BY delivery.notice_key LIMIT 1
      """, [.number(channel), .flag(isUrgent)]
    ) { $0.text(0) }
    if let known { return known }
    let id = makeID()
    let count = try transaction.run(
      """
      UPDATE delivery SET message_id = $2, begun_at = $3
      WHERE channel_key = $1 AND notice_key IN (
        SELECT waiting.notice_key FROM delivery AS waiting
        JOIN user_notice ON user_notice.notice_key = waiting.notice_key
        WHERE waiting.channel_key = $1 AND waiting.state = 'waiting' AND waiting.message_id IS NULL
          AND (user_notice.is_urgent OR NOT $4)
        ORDER BY waiting.notice_key LIMIT \(messageLimit))
      """, [.number(channel), .text(id), .date(now), .flag(isUrgent)])
    return count > 0 ? id : nil
  }

  /// The notices of a message, oldest first. Those of a newer program are left out.
  static func notices(
    of message: String, _ channel: UserChannel.ID, in transaction: any Transaction
  ) throws -> [Notice] {
    try transaction.rows(
      """
      SELECT \(UserNoticeTable.columns) FROM delivery
      JOIN user_notice ON user_notice.notice_key = delivery.notice_key
      WHERE delivery.channel_key = $1 AND delivery.message_id = $2 AND delivery.state = 'waiting'
      ORDER BY delivery.notice_key
      """, [.number(channel), .text(message)], UserNoticeTable.notice
    ).compactMap(\.self)
  }

  /// Ends the deliveries of a message, and returns their number.
  @discardableResult
  static func end(
    _ message: String, _ channel: UserChannel.ID, as state: Delivery.State, at now: Date,
    in transaction: any Transaction
  ) throws -> Int {
    try transaction.run(
      """
      UPDATE delivery SET state = $3, ended_at = $4
      WHERE channel_key = $1 AND message_id = $2 AND state = 'waiting'
      """, [.number(channel), .text(message), .text(state.rawValue), .date(now)])
  }

  /// Ends the deliveries that were tried for `UserChannel.triedSeconds`: they are lost. Returns their number.
  static func endOld(
    of channel: UserChannel.ID, at now: Date, in transaction: any Transaction
  ) throws -> Int {
    try transaction.run(
      """
      UPDATE delivery SET state = 'lost', ended_at = $2
      WHERE channel_key = $1 AND state = 'waiting' AND begun_at <= $3
      """, [.number(channel), .date(now), .date(now - UserChannel.triedSeconds)])
  }

  /// Whether an urgent notice waits for a channel.
  static func hasUrgent(
    of channel: UserChannel.ID, in transaction: any Transaction
  ) throws -> Bool {
    try transaction.exists(
      """
      SELECT 1 FROM delivery JOIN user_notice ON user_notice.notice_key = delivery.notice_key
      WHERE delivery.channel_key = $1 AND delivery.state = 'waiting'
        AND user_notice.is_urgent
      LIMIT 1
      """, [.number(channel)])
  }

  /// The number of the deliveries of a user in a state.
  static func count(
    of user: User.ID, _ state: Delivery.State, in transaction: any Transaction
  ) throws -> Int {
    try transaction.first(
      """
      SELECT count(*) FROM delivery
      JOIN user_notice ON user_notice.notice_key = delivery.notice_key
      WHERE user_notice.user_key = $1 AND delivery.state = $2
      """, [.number(user), .text(state.rawValue)]
    ) { $0.count(0) } ?? 0
  }

  /// The deliveries of a user, the newest first.
  static func list(
    of user: User.ID, _ state: Delivery.State?, limit: Int, in transaction: any Transaction
  ) throws -> [Delivery] {
    let first = UserNoticeTable.count
    return try transaction.rows(
      """
      SELECT \(UserNoticeTable.columns), channel.name, delivery.state, delivery.message_id,
        delivery.ended_at
      FROM delivery JOIN user_notice ON user_notice.notice_key = delivery.notice_key
      JOIN channel ON channel.channel_key = delivery.channel_key
      WHERE user_notice.user_key = $1 AND ($2 IS NULL OR delivery.state = $2)
      ORDER BY delivery.notice_key DESC, channel.channel_key LIMIT $3
      """, [.number(user), .text(state?.rawValue), .count(limit)]
    ) { row -> Delivery? in
      guard let notice = UserNoticeTable.notice(row) else { return nil }
      return Delivery(
        notice: notice, channel: row.text(first),
        state: Delivery.State(rawValue: row.text(first + 1)) ?? .waiting,
        messageID: row.findText(first + 2), endedAt: row.findDate(first + 3))
    }.compactMap(\.self)
  }
}
