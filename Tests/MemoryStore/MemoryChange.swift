import Foundation
import OffersCore

/// A recorded change in memory.
struct MemoryChange: Sendable {
  enum Kind: Sendable { case first, new, changed, gone, back }

  let id: Int64
  let kind: Kind
  let feed: String
  /// The key of the offer; for the first sync of a feed, that of its last offer.
  let key: Int64
  let at: Date
  /// For the first sync of a feed, the number of its offers.
  var offerCount: Int?
  /// For a changed offer, the fields that differ.
  var fields: [OfferField] = []
  /// For a changed offer, its texts before and after.
  var texts: [TextChange] = []
  /// For a changed reward, the one before.
  var oldReward: Reward?
  /// The offer's reward after the change.
  var reward: Reward?

  /// Whether the change is one of the reward.
  var isOfReward: Bool { fields.contains(.reward) }

  /// The kind of change for users.
  var told: OfferChange.Kind {
    switch kind {
    case .first: .first
    case .new: .new
    case .changed: direction ?? .changed
    case .gone: .gone
    case .back: .back
    }
  }

  /// Whether the reward rose or fell; nil unless both rewards are exact and comparable.
  private var direction: OfferChange.Kind? {
    isOfReward ? .direction(from: oldReward, to: reward) : nil
  }
}

extension MemoryState {
  /// Records a change of an offer, which has its new content already.
  mutating func append(
    _ kind: MemoryChange.Kind, _ key: Int64, _ fields: [OfferField] = [],
    from old: MemoryOffer.Content? = nil, at time: Date
  ) {
    guard let place = findPlace(key) else { return }
    lastChangeID += 1
    changes.append(
      MemoryChange(
        id: lastChangeID, kind: kind, feed: offers[place].ref.feed, key: key, at: time,
        fields: fields,
        texts: TextChange.fields.filter(fields.contains).map {
          TextChange($0, from: old?.told($0), to: offers[place].content.told($0))
        }, oldReward: fields.contains(.reward) ? old?.reward : nil,
        reward: offers[place].content.reward))
  }

  /// Records the first sync of a feed as one change.
  mutating func appendFirst(_ keys: [Int64], of feed: String, at time: Date) {
    lastChangeID += 1
    changes.append(
      MemoryChange(
        id: lastChangeID, kind: .first, feed: feed, key: keys.last ?? 0, at: time,
        offerCount: keys.count))
  }

  /// Removes the changes that record that the offers of the built-in sample were new.
  mutating func forgetSample(of feed: String) {
    let times = feeds[feed]?.runs.filter { $0.source == SyncSource.sample.text }
      .map(\.startedAt.inSeconds)
    changes.removeAll {
      $0.feed == feed && ($0.kind == .first || $0.kind == .new) && times?.contains($0.at) == true
    }
  }
}
