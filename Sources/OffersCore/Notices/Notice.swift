public import Foundation

/// A message to a user about an offer or a feed. It is written in the transaction of the change that caused it, and
/// delivered over each of the user's channels.
public struct Notice: Hashable, Sendable, Identifiable {
  /// Why the user is told.
  public enum Reason: Hashable, Sendable, Codable {
    /// A rule of a watch applied.
    case watch(WatchFiring)
    /// A favorite changed, or is gone or back: the kind of the change, the reward before and after it if that
    /// changed, the JSON names of the changed fields, and their texts as far as they are kept.
    case favorite(
      OfferChange.Kind, old: Reward?, new: Reward?, fields: [String], texts: [TextChange]? = nil)
    /// A favorite ends within 48 hours.
    case ending(Date)
    /// The syncs of a feed have failed since a time: the number of failures, and the message of the last one.
    case failing(since: Date, count: Int, message: String?)
    /// A feed works again.
    case recovered
    /// Offers are missing from a feed, and are held back: how many, of how many.
    case heldBack(HeldBack, of: Int)
  }

  /// The number of the notice, larger than those of earlier ones.
  public let id: Int64
  /// The watch; nil for another reason, and for a watch that was removed.
  public let watchID: Int64?
  /// The name of the watch, or its selection if it has none; nil without a watch.
  public let watchName: String?
  /// When the change was found.
  public let at: Date
  /// The name of the feed.
  public let feed: String
  /// The offer; nil for a notice about a feed.
  public let offer: OfferRef?
  /// The name of the offer at that time, or of the feed.
  public let name: String
  /// Why the user is told.
  public let reason: Reason
  /// Whether the notice may break through quiet hours.
  public let isUrgent: Bool

  /// Creates a notice of its parts; the properties describe them.
  public init(
    id: Int64, watchID: Int64? = nil, watchName: String? = nil, at: Date, feed: String,
    offer: OfferRef? = nil, name: String, reason: Reason, isUrgent: Bool = false
  ) {
    self.id = id
    self.watchID = watchID
    self.watchName = watchName
    self.at = at
    self.feed = feed
    self.offer = offer
    self.name = name
    self.reason = reason
    self.isUrgent = isUrgent
  }

  /// The watch that told it: `watch 1: coffee`; nil for another reason, and for a watch that was removed.
  package var watchText: String? {
    guard let watchID, let watchName else { return nil }
    return "watch \(watchID): \(watchName.isEmpty ? "all offers" : watchName)"
  }

  /// The time for which notices and their deliveries are kept, in seconds.
  package static let keptSeconds = 30.0 * 86_400
}

/// A channel of a user, as it is stored.
public struct UserChannel: Hashable, Sendable, Identifiable {
  /// The number of the channel in its database.
  public let id: Int64
  /// The name, unique among the channels of its user without regard to case.
  public let name: String
  /// The settings, as `ChannelSettings.json` of OffersSync writes them: without secrets.
  package let settings: String
  /// The hours in which only urgent notices are delivered; nil for none.
  public let quietHours: QuietHours?
  /// Whether it is the user's default: commands that name no channel mean this one.
  public let isDefault: Bool
  /// When the channel was added.
  public let createdAt: Date
  /// Why nothing is delivered until somebody sets the channel up again; nil for one that works.
  public let endedReason: String?
  /// The failures since the last delivery.
  public let failureCount: Int
  /// When the first of them was; nil without one.
  public let failingSince: Date?
  /// When the next attempt is due; nil if nothing waits or the next run may try.
  public let nextAttemptAt: Date?
  /// Why the last attempt failed; nil after a delivery.
  public let lastError: String?
  /// When something was last delivered; nil for never.
  public let deliveredAt: Date?
  /// The number of notices that wait.
  public let waitingCount: Int

  package init(
    id: Int64, name: String, settings: String, quietHours: QuietHours?, isDefault: Bool,
    createdAt: Date, endedReason: String?, failureCount: Int, failingSince: Date?,
    nextAttemptAt: Date?, lastError: String?, deliveredAt: Date?, waitingCount: Int
  ) {
    self.id = id
    self.name = name
    self.settings = settings
    self.quietHours = quietHours
    self.isDefault = isDefault
    self.createdAt = createdAt
    self.endedReason = endedReason
    self.failureCount = failureCount
    self.failingSince = failingSince
    self.nextAttemptAt = nextAttemptAt
    self.lastError = lastError
    self.deliveredAt = deliveredAt
    self.waitingCount = waitingCount
  }

  /// How the channel works, in a few words: `paused`, `failing`, `delivered 2 h ago`, `new`.
  package func stateText(at now: Date) -> String {
    if endedReason != nil { return "paused" }
    if failureCount > 0 { return "failing" }
    return deliveredAt.map { "delivered \(Units.age(of: $0, at: now))" } ?? "new"
  }

  /// For how long a message is tried, in seconds. Then its notices count as lost, and `offers notices` says so.
  package static let triedSeconds = 7.0 * 86_400

  /// The wait before the next attempt: a minute after the first failure, twice as long after each further one, at most
  /// six hours.
  ///
  /// - Parameter count: the failures so far, at least 1.
  package static func backoffSeconds(after count: Int) -> Double {
    min(6 * 3600, 60 * pow(2, Double(max(0, min(count, 20) - 1))))
  }
}

/// The hours of a day in which a channel delivers urgent notices only, in the zone of the machine or of the user.
public struct QuietHours: Hashable, Sendable, CustomStringConvertible {
  /// The first minute of the quiet hours, counted from midnight.
  public let start: Int
  /// The first minute behind them, which may be on the next day.
  public let end: Int
  /// The name of the time zone, such as `Europe/Berlin`; nil for that of the machine.
  public let zone: String?

  /// Creates quiet hours; nil for minutes that no day has, for two equal ones, and for an unknown zone.
  public init?(start: Int, end: Int, zone: String? = nil) {
    guard (0..<1440).contains(start), (0..<1440).contains(end), start != end,
      zone.map({ TimeZone(identifier: $0) != nil }) ?? true
    else { return nil }
    self.start = start
    self.end = end
    self.zone = zone
  }

  /// Parses `22:00-7:00` or `22-7`, and behind it, separated by a space, the name of a time zone.
  ///
  /// - Throws: `OffersError` with `invalidRequest` for another text.
  public init(parsing text: String) throws(OffersError) {
    let words = text.split(scalar: " ").map(String.init)
    let bounds = (words.first ?? "").replacing(bytes: "–", with: "-").split(scalar: "-")
      .map { Self.minutes(String($0)) }
    guard bounds.count == 2, let start = bounds[0], let end = bounds[1], words.count <= 2,
      let hours = QuietHours(start: start, end: end, zone: words.count > 1 ? words[1] : nil)
    else {
      throw OffersError(
        .invalidRequest, "“\(SafeText.line(text, characters: 60))” is not a period of quiet hours.",
        hint: "Write 22:00-7:00, or with a time zone: '22:00-7:00 Europe/Berlin'.")
    }
    self = hours
  }

  private static func minutes(_ text: String) -> Int? {
    let parts = text.split(scalar: ":", omittingEmptySubsequences: false)
    guard (1...2).contains(parts.count), let hour = Int(parts[0]),
      let minute = parts.count == 2 ? Int(parts[1]) : 0, (0..<24).contains(hour),
      (0..<60).contains(minute)
    else { return nil }
    return hour * 60 + minute
  }

  /// The text that `init(parsing:)` reads.
  public var description: String {
    func text(_ minutes: Int) -> String {
      let minute = minutes % 60
      return "\(minutes / 60):\(minute < 10 ? "0" : "")\(minute)"
    }
    return "\(text(start))-\(text(end))" + (zone.map { " \($0)" } ?? "")
  }

  /// The end of the quiet hours that a time is in; nil for a time outside of them.
  package func end(ofThoseAt time: Date) -> Date? {
    var calendar = Calendar(identifier: .gregorian)
    if let zone = zone.flatMap(TimeZone.init(identifier:)) { calendar.timeZone = zone }
    let parts = calendar.dateComponents([.hour, .minute], from: time)
    let minute = (parts.hour ?? 0) * 60 + (parts.minute ?? 0)
    let isQuiet = start < end ? (start..<end).contains(minute) : minute >= start || minute < end
    if !isQuiet { return nil }
    return calendar.nextDate(
      after: time, matching: DateComponents(hour: end / 60, minute: end % 60),
      matchingPolicy: .nextTime)
  }
}

/// A notice on its way over a channel.
public struct Delivery: Hashable, Sendable {
  /// How far a delivery is.
  public enum State: String, Hashable, Sendable, CaseIterable {
    /// It waits for its first or next attempt.
    case waiting
    /// The receiver has it.
    case delivered
    /// The receiver does not take it, or it was tried for 7 days.
    case lost
  }

  /// The notice.
  public let notice: Notice
  /// The name of the channel.
  public let channel: String
  /// How far it is.
  public let state: State
  /// The identity of the message that carries it, the same at each attempt; nil before the first one.
  public let messageID: String?
  /// When it was delivered or lost; nil while it waits.
  public let endedAt: Date?

  package init(
    notice: Notice, channel: String, state: State, messageID: String?, endedAt: Date?
  ) {
    self.notice = notice
    self.channel = channel
    self.state = state
    self.messageID = messageID
    self.endedAt = endedAt
  }
}
