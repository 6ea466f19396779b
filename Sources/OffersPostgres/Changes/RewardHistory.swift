import Foundation
import OffersCore

/// The history of an offer's reward and texts.
enum RewardHistory {
  static func fetch(
    named text: String, _ bounds: HistoryBounds, of user: User.ID, in session: DatabaseSession
  ) throws -> HistoryPage {
    let stored = try OfferTable.fetch(named: text, of: user, in: session)
    let changes = try self.changes(of: stored, in: session)
    let earlier = changes.filter { $0.id < bounds.before ?? .max }
    var listed: [Change] = []
    var bytes = 0
    for change in earlier.reversed() {
      let rewards = change.rewards.map { [$0.old, $0.new] } ?? []
      bytes += rewards.reduce(0) { $0 + ($1?.text.utf8.count ?? 0) }
      bytes += change.texts.reduce(0) { $0 + $1.byteCount }
      if !listed.isEmpty, listed.count >= bounds.limit || bytes > bounds.maximumBytes { break }
      listed.insert(change, at: 0)
    }
    // The first sighting is a point as well; without room for it, it begins the page before.
    let isCut = listed.count < earlier.count || (!listed.isEmpty && listed.count >= bounds.limit)
    var points: [RewardPoint] = []
    if !isCut {
      let first = changes.first { $0.rewards != nil }
      points.append(
        RewardPoint(
          at: stored.offer.firstSeenAt, event: .new,
          reward: first?.rewards.map(\.old) ?? stored.offer.reward))
    }
    points += listed.map {
      RewardPoint(at: $0.at, event: $0.event, reward: $0.reward, texts: $0.texts)
    }
    return HistoryPage(offer: stored.offer, points: points, before: isCut ? listed.first?.id : nil)
  }

  /// A change of the offer that is a point of the history.
  private struct Change {
    let id: Int64
    let at: Date
    let event: RewardPoint.Event
    /// The reward before and after, if it changed.
    let rewards: (old: Reward?, new: Reward?)?
    let texts: [TextChange]
    /// The reward right after the change.
    var reward: Reward?
  }

  private static func changes(
    of stored: OfferTable.Stored, in session: DatabaseSession
  ) throws -> [Change] {
    let rows = try session.rows(
      """
      SELECT change_id, at, kind, fields FROM change
      WHERE offer_key = $1 AND (kind IN ('gone', 'back') OR fields IS NOT NULL)
      ORDER BY change_id
      """, [.number(stored.key)])
    var changes: [Change] = rows.map { row in
      let fields = row.findText(3).map(ChangedFields.init(parsing:))
      return Change(
        id: row.number(0), at: row.date(1),
        event: RewardPoint.Event(rawValue: row.text(2)) ?? .changed, rewards: fields?.rewards,
        texts: fields?.texts ?? [])
    }.filter { $0.rewards != nil || !$0.texts.isEmpty || $0.event == .gone || $0.event == .back }
    // Forwards, because an import may leave a gap between two changes of the reward.
    var reward = stored.offer.reward
    if let first = changes.first(where: { $0.rewards != nil })?.rewards { reward = first.old }
    for index in changes.indices {
      if let rewards = changes[index].rewards { reward = rewards.new }
      changes[index].reward = reward
    }
    return changes
  }
}
