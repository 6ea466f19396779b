import Foundation

/// An offer, as it is stored.
///
/// A field that the feed does not provide is nil, never invented and never an empty string.
public struct Offer: Hashable, Sendable {
  /// Whether the feed still has the offer.
  public enum State: String, Sendable {
    /// The last sync found the offer.
    case current
    /// The feed no longer has the offer. It is kept for a time, or for good if it is a favorite.
    case gone
  }

  public let ref: OfferRef
  public let name: String
  public let description: String?
  public let terms: String?
  public let reward: Reward?
  /// The address of the image, as the feed prints it.
  public let imageURL: String?
  /// The address of the offer's own page, as the feed prints it.
  public let url: String?
  /// The seller.
  public let retailer: String?
  public let categories: [String]
  public let startsAt: Date?
  public let expiresAt: Date?
  /// The latitude in degrees, positive to the north.
  public let latitude: Double?
  /// The longitude in degrees, positive to the east.
  public let longitude: Double?
  /// The offer's own attributes in the feed's order, then those that all offers of the feed share.
  public let attributes: [OfferAttribute]
  public let isFavorite: Bool
  /// When a sync first found the offer.
  public let firstSeenAt: Date
  /// When a sync last found a field changed.
  public let changedAt: Date
  /// When a sync first found the offer missing; nil while the feed has it.
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
