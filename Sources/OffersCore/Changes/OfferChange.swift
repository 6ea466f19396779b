import Foundation

/// A change of an offer, classified for users, or the first sync of a feed.
public struct OfferChange: Hashable, Sendable, Identifiable {
  /// The kinds of change.
  public enum Kind: String, Sendable, Codable, CaseIterable {
    /// The first sync of a feed, which is one change for all of its offers.
    case first
    /// A sync found the offer for the first time.
    case new
    /// The offer's exact reward rose (`up`) or fell (`down`).
    case up
    /// The reward became lower.
    case down
    /// Another field differs, or the reward differs but cannot be compared.
    case changed
    /// The feed no longer has the offer (`gone`), or has it again (`back`).
    case gone
    /// The feed has a vanished offer again.
    case back
    /// The offer expires within 48 hours.
    case expiring
  }

  /// The id of the recorded change; nil for `expiring`, which is derived and not recorded.
  public let changeID: Int64?
  /// The kind of change.
  public let kind: Kind
  /// When a sync detected the change; for an expiring offer, when its last 48 hours began.
  public let at: Date
  /// The name of the feed.
  public let feed: String
  /// The offer in its current state; nil for `first`.
  public let offer: UserOffer?
  /// For `first`, the number of offers that the feed had; else nil.
  public let offerCount: Int?
  /// The reward before and after the change, if it changed.
  public let oldReward: Reward?
  /// The reward after the change; nil without one.
  public let newReward: Reward?
  /// The offer's reward right after the change.
  public let reward: Reward?
  /// The JSON names of the fields that changed.
  public let fields: [String]
  /// The changed texts and times before and after the change: name, description, terms, retailer, start
  /// and end.
  public let texts: [TextChange]
  /// The likely counterpart under another id. For a new offer: a gone favorite of the same feed
  /// with the same name and description. For a gone favorite: the offer that probably replaces it.
  public let returned: OfferRef?

  /// Creates the change of an offer of its parts; the properties describe them.
  public init(
    changeID: Int64?, kind: Kind, at: Date, offer: UserOffer, oldReward: Reward? = nil,
    newReward: Reward? = nil, reward: Reward?, fields: [String] = [], texts: [TextChange] = [],
    returned: OfferRef? = nil
  ) {
    self.changeID = changeID
    self.kind = kind
    self.at = at
    self.feed = offer.ref.feed
    self.offer = offer
    offerCount = nil
    self.oldReward = oldReward
    self.newReward = newReward
    self.reward = reward
    self.fields = fields
    self.texts = texts
    self.returned = returned
  }

  /// Creates the first sync of a feed; the properties describe the parts.
  public init(changeID: Int64, firstSyncOf feed: String, offerCount: Int, at: Date) {
    self.changeID = changeID
    kind = .first
    self.at = at
    self.feed = feed
    offer = nil
    self.offerCount = offerCount
    oldReward = nil
    newReward = nil
    reward = nil
    fields = []
    texts = []
    returned = nil
  }

  /// The identity in a list: the number of the recorded change, or the reference of an expiring offer, which a
  /// list has at most once.
  public var id: String {
    changeID.map { String($0) } ?? (offer?.ref ?? OfferRef(feed: feed, offerID: "")).description
  }

  /// How long before its end an offer counts as expiring, in seconds.
  public static let expiringSeconds = 48.0 * 3600
}

extension OfferChange.Kind {
  /// Whether a changed reward rose or fell; nil if the two are not comparable. Two exact values are
  /// comparable if they have the same kind and currency, and both or neither are “up to”.
  package static func direction(from old: Reward?, to new: Reward?) -> OfferChange.Kind? {
    guard let old, let new, old.isUpTo == new.isUpTo, let was = old.value, let value = new.value,
      let numbers = Reward.Value.numbers(from: was, to: value)
    else { return nil }
    return numbers.old == numbers.new ? nil : numbers.old < numbers.new ? .up : .down
  }
}

extension Reward.Value {
  /// The numbers of two values of the same kind and currency, in minor units or hundredths of a percent; nil
  /// for other values.
  package static func numbers(from old: Self, to new: Self) -> (old: Int64, new: Int64)? {
    switch (old, new) {
    case (.amount(let old, let was), .amount(let new, let currency)) where was == currency:
      (old, new)
    case (.percent(let old), .percent(let new)): (old, new)
    default: nil
    }
  }
}

extension Reward {
  /// By how much the reward is higher than an earlier one, negative if it is lower; nil if the two are equal
  /// or not comparable (`OfferChange.Kind.direction`).
  package func difference(from old: Reward) -> Value? {
    guard OfferChange.Kind.direction(from: old, to: self) != nil else { return nil }
    func minus(_ number: Int64, _ earlier: Int64) -> Int64? {
      let (result, didOverflow) = number.subtractingReportingOverflow(earlier)
      // The smallest number has no magnitude of its type.
      return didOverflow || result == .min ? nil : result
    }
    return switch (old.value, value) {
    case (.amount(let was, _), .amount(let units, let currency)):
      minus(units, was).map { .amount(minorUnits: $0, currency: currency) }
    case (.percent(let was), .percent(let hundredths)):
      minus(hundredths, was).map { .percent(hundredths: $0) }
    default: nil
    }
  }

  /// Whether a feed's new reward is a change that people should hear of.
  ///
  /// Rewards do not differ if the same amount or percentage is printed in other digits, as in `9.90` and
  /// `9.9`, or if the text is the same and only its parsed value changed, as after the currency of the feed
  /// was set.
  package static func differ(_ old: Reward?, _ new: Reward?) -> Bool {
    guard let old, let new else { return (old == nil) != (new == nil) }
    if old.text.utf8.elementsEqual(new.text.utf8) { return false }
    guard let was = old.value, let value = new.value, old.isUpTo == new.isUpTo else { return true }
    switch (was, value) {
    case (.percent(let was), .percent(let hundredths)) where was == hundredths: break
    case (.amount(let was, let before), .amount(let units, let currency))
    where was == units && (before == currency || before == nil || currency == nil): break
    default: return true
    }
    return old.words(besides: new) != new.words(besides: old)
  }

  /// The words of the text without the code of a currency, since an amount may be printed with its
  /// code or its sign.
  private func words(besides other: Reward) -> [Substring] {
    let codes = [currency, other.currency].compactMap { $0?.lowercased() }
    return text.lowercased().split { !$0.isLetter }.filter { !codes.contains(String($0)) }
  }
}

extension JSONWriter {
  /// Writes a change in the form of `--json` and the API.
  package mutating func value(_ change: OfferChange) {
    object { json in
      json.member("at", change.at)
      json.member("kind", change.kind.rawValue)
      json.member("feed", change.feed)
      json.member("ref", change.offer?.ref.description)
      json.member("name", change.offer?.name)
      json.member("url", change.offer?.url?.absoluteString)
      json.member("state", change.offer?.offer.state)
      json.member("favorite", change.offer?.isFavorite ?? false)
      json.member("offers", change.offerCount)
      json.member("from", change.oldReward, of: change.feed)
      json.member("to", change.newReward, of: change.feed)
      json.member("fields", each: change.fields) { $0.value($1) }
      json.member(texts: change.texts)
      json.member("returned_favorite", change.returned?.description)
    }
  }

  /// Writes the history of an offer's reward.
  package mutating func value(historyOf offer: Offer, _ points: [RewardPoint]) {
    object { $0.members(historyOf: offer, points) }
  }

  /// Writes the members of the history of an offer's reward.
  package mutating func members(historyOf offer: Offer, _ points: [RewardPoint]) {
    member("ref", offer.ref.description)
    member("name", offer.name)
    member("points", objects: points) { json, point in
      json.member("at", point.at)
      json.member("event", point.event.rawValue)
      json.member("reward", point.reward, of: offer.ref.feed)
      json.member(texts: point.texts)
    }
  }

  private mutating func member(texts: [TextChange]) {
    member("texts", objects: texts) { json, text in
      json.member("field", text.field)
      json.member("from", text.old)
      json.member("to", text.new)
    }
  }
}
