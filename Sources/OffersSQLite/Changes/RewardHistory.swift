import Foundation
import GRDB
import OffersCore

/// The history of an offer's reward and texts, read backwards from its latest change.
enum RewardHistory {
  /// A change that appears in the history.
  private struct Change {
    let id: Int64
    let at: Int64
    let event: RewardPoint.Event
    /// The reward before and after the change; nil if it is unchanged.
    let rewards: (old: Reward?, new: Reward?)?
    let texts: [TextChange]

    var textBytes: Int {
      (rewards?.old?.text.utf8.count ?? 0) + (rewards?.new?.text.utf8.count ?? 0)
        + texts.reduce(0) { $0 + $1.byteCount }
    }

    /// Returns nil for a change that concerns neither the reward nor a text.
    init?(_ row: Row) {
      id = row[0]
      at = row[1]
      let kind: String = row[2]
      let fields = (row[3] as String?).map(ChangedFields.init(parsing:))
      rewards = fields?.rewards
      texts = fields?.texts ?? []
      switch ChangeRow.Kind(rawValue: kind) {
      case .gone: event = .gone
      case .back: event = .back
      case .changed where rewards != nil || !texts.isEmpty:
        event =
          switch fields?.direction {
          case .up: .up
          case .down: .down
          default: .changed
          }
      default: return nil
      }
    }
  }

  static func fetch(
    named text: String, _ bounds: HistoryBounds, of user: User.ID, in database: Database
  ) throws -> HistoryPage {
    let offer = try OffersDatabase.fetchOffer(named: text, of: user, in: database)
    guard let key = try OfferTable.findKey(offer.ref, in: database) else {
      return HistoryPage(offer: offer, points: [], before: nil)
    }
    var changes: [Change] = []
    var bytes = 0
    var isCut = false
    /// The rewards of the last change of the reward before the listed changes.
    var earlier: (old: Reward?, new: Reward?)?
    let rows = try ChangeTable.history(
      offerKey: key, before: bounds.before ?? .max, in: database)
    while earlier == nil, let row = try rows.next() {
      guard let change = Change(row) else { continue }
      if !isCut {
        bytes += change.textBytes
        isCut = !changes.isEmpty && (changes.count >= bounds.limit || bytes > bounds.maximumBytes)
      }
      if isCut {
        // This change is not listed, but it may have the reward that applied at the first listed
        // change.
        earlier = change.rewards
      } else {
        changes.append(change)
      }
    }
    var reward: Reward?
    if let earlier {
      reward = earlier.new
    } else if let first = changes.last(where: { $0.rewards != nil })?.rewards {
      reward = first.old
    } else if let id = bounds.before,
      let later = try ChangeTable.findRewardChange(of: key, from: id, in: database)
    {
      reward = later.old
    } else {
      reward = offer.reward
    }
    // The first sighting is a point as well; without room for it, it begins the page of earlier ones.
    if !changes.isEmpty, changes.count >= bounds.limit { isCut = true }
    var points: [RewardPoint] = []
    if !isCut { points.append(RewardPoint(at: offer.firstSeenAt, event: .new, reward: reward)) }
    for change in changes.reversed() {
      if let rewards = change.rewards { reward = rewards.new }
      points.append(
        RewardPoint(
          at: Date(storedSeconds: change.at), event: change.event, reward: reward,
          texts: change.texts))
    }
    return HistoryPage(
      offer: offer, points: points, before: isCut ? changes.last?.id : nil)
  }
}
