import Foundation

/// The history of an offer's reward and texts, read backwards from its latest change.
package enum RewardHistory {
  /// A stored change of the offer that is not of the kind `new`.
  package struct Row {
    package let id: Int64
    let at: Date
    let event: OfferChange.Kind?
    let fields: ChangedFields?

    /// - Parameters:
    ///   - id: the change number.
    ///   - at: the start of the run that recorded the change.
    ///   - kind: the stored kind. The fields tell whether a `changed` reward rose or fell.
    ///   - fields: what differs, as JSON; nil if nothing does.
    package init(id: Int64, at: Date, kind: String, fields: String?) {
      self.id = id
      self.at = at
      event = OfferChange.Kind(rawValue: kind)
      self.fields = fields.map(ChangedFields.init(parsing:))
    }
  }

  /// A change that appears in the history.
  private struct Change {
    let id: Int64
    let at: Date
    let event: OfferChange.Kind
    /// The reward before and after the change; nil if it is unchanged.
    let rewards: (old: Reward?, new: Reward?)?
    let texts: [TextChange]

    var textBytes: Int {
      (rewards?.old?.text.utf8.count ?? 0) + (rewards?.new?.text.utf8.count ?? 0)
        + texts.reduce(0) { $0 + $1.byteCount }
    }

    /// Returns nil for a change that concerns neither the reward nor a text.
    init?(_ row: Row) {
      id = row.id
      at = row.at
      rewards = row.fields?.rewards
      texts = row.fields?.texts ?? []
      switch row.event {
      case .gone: event = .gone
      case .back: event = .back
      case .up, .down, .changed:
        if rewards == nil, texts.isEmpty { return nil }
        event =
          switch row.fields?.direction {
          case .up: .up
          case .down: .down
          default: .changed
          }
      case .new, .first, .expiring, nil: return nil
      }
    }
  }

  /// Returns a page of the history.
  ///
  /// - Parameters:
  ///   - offer: the offer.
  ///   - bounds: the bounds of the page.
  ///   - next: returns the offer's next older change, of those before `bounds.before`; nil at the end.
  ///     It is called only as often as the page needs.
  ///   - findLater: returns the reward before the first change of the reward at or after a change number;
  ///     nil if there is no such change.
  package static func page(
    of offer: UserOffer, _ bounds: HistoryQuery, next: () throws -> Row?,
    findLater: (Int64) throws -> (old: Reward?, id: Int64)?
  ) throws -> HistoryPage {
    var changes: [Change] = []
    var bytes = 0
    var isCut = false
    /// The old and new reward of the newest change of the reward that is older than the listed changes.
    var earlier: (old: Reward?, new: Reward?)?
    while earlier == nil, let row = try next() {
      guard let change = Change(row) else { continue }
      if !isCut {
        bytes += change.textBytes
        isCut = !changes.isEmpty && (changes.count >= bounds.limit || bytes > bounds.maximumBytes)
      }
      if isCut {
        // This change is not listed, but it may have the reward that applied at the first listed change.
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
    } else if let id = bounds.before, let later = try findLater(id) {
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
        RewardPoint(at: change.at, event: change.event, reward: reward, texts: change.texts))
    }
    // No sync recorded that the offers of a removed feed are gone.
    let last = changes.first { $0.event == .gone || $0.event == .back }?.event
    if bounds.before == nil, let goneAt = offer.goneAt, last != .gone {
      points.append(RewardPoint(at: goneAt, event: .gone, reward: reward))
    }
    return HistoryPage(offer: offer, points: points, before: isCut ? changes.last?.id : nil)
  }
}

/// One point in the history of an offer's reward and texts.
public struct RewardPoint: Hashable, Sendable {
  /// The time of the event.
  public let at: Date
  /// The kind of event: any but `first` and `expiring`.
  public let event: OfferChange.Kind
  /// The reward since this time; nil when the feed provides none.
  public let reward: Reward?
  /// The texts and times that changed, as in `OfferChange.texts`.
  public let texts: [TextChange]

  /// Creates a reward point of its parts; the properties describe them.
  public init(at: Date, event: OfferChange.Kind, reward: Reward?, texts: [TextChange] = []) {
    self.texts = texts
    self.at = at
    self.event = event
    self.reward = reward
  }
}

/// The bounds of a page of an offer's reward history.
package struct HistoryQuery: Hashable, Sendable {
  /// Only points recorded before the change with this number; nil for all.
  package var before: Int64?
  /// The maximum number of points. A page has at least one.
  package var limit: Int
  /// The maximum total size of the texts, in bytes of UTF-8.
  package var maximumBytes: Int

  /// Creates bounds. Without arguments the whole history is read.
  package init(before: Int64? = nil, limit: Int = .max, maximumBytes: Int = .max) {
    self.before = before
    self.limit = limit
    self.maximumBytes = maximumBytes
  }
}

/// A page of an offer's reward history.
package struct HistoryPage: Hashable, Sendable {
  /// The offer.
  package let offer: UserOffer
  /// The points of the page, oldest first.
  package let points: [RewardPoint]
  /// `HistoryQuery.before` for the page of earlier points; nil when there are none.
  package let before: Int64?

  /// Creates a history page of its parts; the properties describe them.
  package init(offer: UserOffer, points: [RewardPoint], before: Int64?) {
    self.offer = offer
    self.points = points
    self.before = before
  }
}

/// A period in the history of an offer with a constant reward: a step of a chart.
package struct RewardStep {
  /// The beginning of the period.
  package let at: Date
  /// The exact reward, in minor units or hundredths of a percent. Nil for a gap in the chart: the
  /// offer was gone, or its reward had no exact value or one in another unit than the latest exact
  /// reward.
  package let value: Int64?
  /// The reward as the feed printed it; empty for a gap.
  package let label: String
  /// The reward that the label prints; nil for a gap.
  package let reward: Reward?

  /// The steps of a history, in chronological order.
  package static func steps(of points: [RewardPoint]) -> [RewardStep] {
    let unit = points.last { $0.reward?.value != nil }?.reward
    return points.map { point in
      guard point.event != .gone, let reward = point.reward, reward.value != nil,
        reward.kind == unit?.kind, reward.currency == unit?.currency
      else { return RewardStep(at: point.at, value: nil, label: "", reward: nil) }
      return RewardStep(
        at: point.at, value: reward.minorUnits ?? reward.percentHundredths, label: reward.text,
        reward: reward)
    }
  }
}
