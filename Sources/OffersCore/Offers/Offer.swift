import Foundation

/// An offer, as it is stored. It is the same for all users; `UserOffer` is an offer with the marks of
/// one of them.
///
/// A field that the feed does not provide is nil, never invented and never an empty string.
///
/// Coding keeps every field exactly, for an app's own files and messages. Its format is not that of
/// the program's JSON documents, and times are coded by the coder's own strategy.
public struct Offer: Hashable, Sendable, Identifiable, Codable {
  /// Whether the feed still has the offer.
  public enum State: String, Sendable {
    /// The last sync found the offer.
    case current
    /// The feed no longer has the offer. It is kept for a time, or for good if it is a favorite.
    case gone
  }

  /// The offer's identity.
  public let ref: OfferRef
  /// The name, never empty.
  public package(set) var name: String
  /// The description as plain text.
  public package(set) var description: String?
  /// The terms as plain text.
  public package(set) var terms: String?
  /// The reward as printed, with its exact value where it has one.
  public package(set) var reward: Reward?
  /// The address of the image, as the feed prints it: any text.
  package var imageURLText: String?
  /// The address of the offer's own page, as the feed prints it: any text.
  package var urlText: String?
  /// The seller.
  public package(set) var retailer: String?
  /// The categories in the feed's order; empty without any.
  public package(set) var categories: [String]
  /// The begin of the offer.
  public let startsAt: Date?
  /// The end of the offer.
  public let expiresAt: Date?
  /// The latitude in degrees, positive to the north.
  public let latitude: Double?
  /// The longitude in degrees, positive to the east.
  public let longitude: Double?
  /// The offer's own attributes in the feed's order, then those that all offers of the feed share.
  public package(set) var attributes: [OfferAttribute]
  /// When a sync first found the offer.
  public let firstSeenAt: Date
  /// When a sync last found a field changed, or first found the offer if none has changed.
  public let changedAt: Date
  /// When a sync found that the feed no longer has the offer; nil while the feed has it.
  public let goneAt: Date?

  /// The reference, which is unique among all feeds.
  public var id: OfferRef { ref }

  /// Whether the feed still has the offer.
  public var state: State { goneAt == nil ? .current : .gone }

  /// Whether the offer's end has passed at a time; false for an offer without an end.
  public func isExpired(at now: Date) -> Bool { expiresAt.map { $0 <= now } ?? false }

  /// Creates an offer, as for a preview or a test. `imageURL` and `url` are http or https URLs; any
  /// other reads as nil.
  public init(
    ref: OfferRef, name: String, description: String? = nil, terms: String? = nil,
    reward: Reward? = nil, imageURL: URL? = nil, url: URL? = nil, retailer: String? = nil,
    categories: [String] = [], startsAt: Date? = nil, expiresAt: Date? = nil,
    latitude: Double? = nil, longitude: Double? = nil, attributes: [OfferAttribute] = [],
    firstSeenAt: Date, changedAt: Date, goneAt: Date? = nil
  ) {
    self.ref = ref
    self.name = name
    self.description = description
    self.terms = terms
    self.reward = reward
    imageURLText = imageURL?.absoluteString
    urlText = url?.absoluteString
    self.retailer = retailer
    self.categories = categories
    self.startsAt = startsAt
    self.expiresAt = expiresAt
    self.latitude = latitude
    self.longitude = longitude
    self.attributes = attributes
    self.firstSeenAt = firstSeenAt
    self.changedAt = changedAt
    self.goneAt = goneAt
  }

  /// The text of a field of `OfferField.texts`. Another field reads as nil, and cannot be set.
  package subscript(field: OfferField) -> String? {
    get {
      switch field {
      case .name: name
      case .description: description
      case .terms: terms
      case .imageURL: imageURLText
      case .url: urlText
      case .retailer: retailer
      case .id, .reward, .categories, .startsAt, .expiresAt, .latitude, .longitude, .attributes:
        nil
      }
    }
    set {
      switch field {
      case .name: name = newValue ?? ""
      case .description: description = newValue
      case .terms: terms = newValue
      case .imageURL: imageURLText = newValue
      case .url: urlText = newValue
      case .retailer: retailer = newValue
      case .id, .reward, .categories, .startsAt, .expiresAt, .latitude, .longitude, .attributes:
        break
      }
    }
  }

  private enum CodingKeys: String, CodingKey {
    case ref, name, description, terms, reward
    case imageURLText = "imageURL"
    case urlText = "url"
    case retailer, categories, startsAt, expiresAt, latitude, longitude, attributes, firstSeenAt
    case changedAt, goneAt
  }
}
