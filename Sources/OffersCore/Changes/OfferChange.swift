import Foundation

/// A change of an offer, classified for users, or the first sync of a feed.
public struct OfferChange: Hashable, Sendable, Identifiable {
  /// The kinds of change.
  public enum Kind: String, Sendable, CaseIterable {
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

  /// The identity of a change in a list.
  public enum ID: Hashable, Sendable {
    /// A recorded change, by its number.
    case recorded(Int64)
    /// An expiring offer, which is no recorded change. A list has it at most once.
    case derived(OfferRef)
  }

  /// The number of the recorded change; nil for `expiring`, which is derived and not recorded.
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

  /// The identity in a list.
  public var id: ID {
    changeID.map(ID.recorded) ?? .derived(offer?.ref ?? OfferRef(feed: feed, offerID: ""))
  }

  /// How long before its end an offer counts as expiring, in seconds.
  public static let expiringSeconds = 48.0 * 3600
}
