import Foundation

/// One thing in a feed that a person may want, as it is stored.
///
/// What the feed does not say is nil; it is never made up and never an empty string.
public struct Offer: Hashable, Sendable {
  /// Whether the feed still has the offer.
  public enum State: String, Sendable {
    /// The last sync saw it.
    case current
    /// The feed no longer has it; it is kept for a while, and for ever when it is a favorite.
    case gone
  }

  public let ref: OfferRef
  public let name: String
  public let description: String?
  public let terms: String?
  public let reward: Reward?
  /// Where the picture is, as the feed prints it.
  public let imageURL: String?
  /// The offer's own page, as the feed prints it.
  public let url: String?
  /// Who sells it.
  public let retailer: String?
  public let categories: [String]
  public let startsAt: Date?
  public let expiresAt: Date?
  /// Degrees north.
  public let latitude: Double?
  /// Degrees east.
  public let longitude: Double?
  /// Labelled extras in the feed's order, those that all its offers share last.
  public let attributes: [OfferAttribute]
  public let isFavorite: Bool
  /// When a sync first saw it.
  public let firstSeenAt: Date
  /// When a sync last saw one of its fields differ.
  public let changedAt: Date
  /// When a sync first missed it; nil while the feed has it.
  public let goneAt: Date?

  public var state: State { goneAt == nil ? .current : .gone }

  public init(
    ref: OfferRef, name: String, description: String? = nil, terms: String? = nil,
    reward: Reward? = nil, imageURL: String? = nil, url: String? = nil, retailer: String? = nil,
    categories: [String] = [], startsAt: Date? = nil, expiresAt: Date? = nil,
    latitude: Double? = nil, longitude: Double? = nil, attributes: [OfferAttribute] = [],
    isFavorite: Bool = false, firstSeenAt: Date, changedAt: Date, goneAt: Date? = nil
  ) {
    self.ref = ref
    self.name = name
    self.description = description
    self.terms = terms
    self.reward = reward
    self.imageURL = imageURL
    self.url = url
    self.retailer = retailer
    self.categories = categories
    self.startsAt = startsAt
    self.expiresAt = expiresAt
    self.latitude = latitude
    self.longitude = longitude
    self.attributes = attributes
    self.isFavorite = isFavorite
    self.firstSeenAt = firstSeenAt
    self.changedAt = changedAt
    self.goneAt = goneAt
  }
}
