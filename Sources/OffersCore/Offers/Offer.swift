import Foundation

/// An offer, as it is stored. It is the same for all users; `UserOffer` is an offer with the marks of
/// one of them.
///
/// A field that the feed does not provide is nil, never invented and never an empty string.
///
/// Coding keeps every field exactly, for an app's own files and messages. Its format is not that of
/// the program's JSON documents, and times are coded by the coder's own strategy.
public struct Offer: Hashable, Sendable, Identifiable, Codable {
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
  /// Whether the feed shows its newest entries only, and no longer this one.
  public package(set) var isOlder = false

  /// The reference, which is unique among all feeds.
  public var id: OfferRef { ref }

  /// Whether the feed still has the offer.
  public var isGone: Bool { goneAt != nil }

  /// Whether the feed has the offer: `current`, `older` or `gone`.
  package var state: String { isGone ? "gone" : isOlder ? "older" : "current" }

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

/// An offer as a user sees it: with that user's own marks. The offer's fields are read as its own, as in
/// `offer.name`.
@dynamicMemberLookup
public struct UserOffer: Hashable, Sendable, Identifiable, Codable {
  /// The offer, which is the same for all users.
  public let offer: Offer
  /// Whether the user marked the offer as a favorite.
  public let isFavorite: Bool

  /// Creates the view of an offer, as for a preview or a test.
  public init(_ offer: Offer, isFavorite: Bool = false) {
    self.offer = offer
    self.isFavorite = isFavorite
  }

  /// The reference, which is unique among all feeds.
  public var id: OfferRef { offer.ref }

  /// A field of the offer.
  public subscript<Value>(dynamicMember field: KeyPath<Offer, Value>) -> Value {
    offer[keyPath: field]
  }

  /// Whether the offer's end has passed at a time; false for an offer without an end.
  public func isExpired(at now: Date) -> Bool { offer.isExpired(at: now) }

  /// The view with the offer's texts truncated; see `Offer.abridged(toBytes:)`.
  package func abridged(toBytes limit: Int) -> UserOffer {
    UserOffer(offer.abridged(toBytes: limit), isFavorite: isFavorite)
  }
}

/// A labelled value for which offers have no field of their own, such as an artist or a phone
/// number.
public struct OfferAttribute: Hashable, Sendable, Codable {
  /// The label shown before the value, such as `Artist`.
  public let label: String
  /// The value as plain text.
  public let value: String
  /// The label of an entry's day of publication in the definitions of news feeds.
  package static let published = "Published"

  /// Creates an offer attribute of its parts; the properties describe them.
  public init(label: String, value: String) {
    self.label = label
    self.value = value
  }

  /// The value for people: a time in ISO 8601, as definitions read it, in the local time zone; any
  /// other value as it is.
  package var shownValue: String {
    guard let seconds = ISOTime.seconds(parsing: value) else { return value }
    return Units.time(Date(storedSeconds: seconds))
  }

  /// Reads what `json(_:)` writes; an incomplete pair at the end is ignored.
  package static func parse(_ json: String) -> [OfferAttribute] {
    let texts = JSONTexts.parse(json)
    return stride(from: 0, to: texts.count - 1, by: 2).map {
      OfferAttribute(label: texts[$0], value: texts[$0 + 1])
    }
  }

  /// The attributes as a JSON list of pairs of strings; nil when there are none.
  package static func json(_ attributes: [OfferAttribute]) -> String? {
    if attributes.isEmpty { return nil }
    var json = JSONWriter()
    json.array { json in
      for attribute in attributes {
        json.array { json in
          json.value(attribute.label)
          json.value(attribute.value)
        }
      }
    }
    return json.text
  }
}

extension Offer {
  /// The size of the offer's texts in bytes of UTF-8, elements of lists included.
  package var textBytes: Int {
    var bytes = ref.feed.utf8.count + ref.offerID.utf8.count + (reward?.text.utf8.count ?? 0)
    for field in OfferField.texts { bytes += self[field]?.utf8.count ?? 0 }
    for category in categories { bytes += category.utf8.count }
    for attribute in attributes { bytes += attribute.label.utf8.count + attribute.value.utf8.count }
    return bytes
  }

  /// The offer with each text truncated to `limit` bytes, for lists of offers. Addresses are not
  /// truncated, but omitted above `OfferLimits.linkBytes`. Each list keeps its first elements, of
  /// at most 8 times `limit` bytes in total. Returns the offer itself if all its texts together fit
  /// into `limit`.
  package func abridged(toBytes limit: Int) -> Offer {
    let limit = max(0, limit)
    if textBytes <= limit { return self }
    func fit(_ text: String) -> String { OfferLimits.fit(text, within: limit) ?? text }
    func first<Element>(_ elements: [Element], _ bytes: (Element) -> Int) -> [Element] {
      var room = limit.multiplied(clamped: 8)
      return Array(
        elements.prefix {
          room -= bytes($0)
          return room >= 0
        })
    }
    var offer = self
    for field in OfferField.texts {
      guard let text = self[field] else { continue }
      if field.kind != .link {
        offer[field] = fit(text)
      } else if text.utf8.count > OfferLimits.linkBytes {
        offer[field] = nil
      }
    }
    offer.reward = reward?.abridged(toBytes: limit)
    offer.categories = first(
      categories.prefix(OfferLimits.categoryCount).map(fit), \.utf8.count)
    offer.attributes = first(
      attributes.prefix(2 * OfferLimits.attributeCount).map {
        OfferAttribute(label: fit($0.label), value: fit($0.value))
      }, { $0.label.utf8.count + $0.value.utf8.count })
    return offer
  }
}

extension Reward {
  /// The reward with its text truncated to `limit` bytes.
  package func abridged(toBytes limit: Int) -> Reward {
    OfferLimits.fit(text, within: limit).map { Reward(text: $0, value: value, isUpTo: isUpTo) }
      ?? self
  }
}

/// Addresses stay texts until an app asks for them: feeds print texts that no URL represents
/// exactly, and long lists need no URL.
extension Offer {
  /// The image's address: an http or https URL with a host. Characters that a URL may not contain
  /// are percent-encoded, as in browsers.
  ///
  /// Nil when the feed provides none, and for an address that is relative, has no host, a control
  /// character, a backslash or another scheme, such as `javascript:` or `file:`.
  public var imageURL: URL? { imageURLText.flatMap(Self.webURL) }

  /// The address of the offer's own page, under the same rules as `imageURL`.
  public var url: URL? { urlText.flatMap(Self.webURL) }

  private static func webURL(_ text: String) -> URL? {
    let text = text.trimmingCharacters(in: .whitespacesAndNewlines)
    // Browsers drop control characters and treat a backslash like a slash, and other programs do
    // not: the host would depend on the reader.
    let isAmbiguous = text.utf8.contains {
      $0 < 0x20 || $0 == 0x7F || $0 == UInt8(ascii: "\\")
    }
    guard !isAmbiguous, let url = URL(printed: text), let scheme = url.scheme?.lowercased(),
      scheme == "https" || scheme == "http", url.host()?.isEmpty == false
    else { return nil }
    return url
  }
}

extension JSONWriter {
  /// Writes an offer in the form of `--json` and the API.
  ///
  /// - Parameters:
  ///   - offer: the offer to write.
  ///   - now: the time at which the offer counts as expired.
  ///   - more: writes further members after the offer's own.
  package mutating func value(
    _ offer: UserOffer, at now: Date, more: (inout JSONWriter) -> Void = { _ in }
  ) {
    object { json in
      json.member("ref", offer.ref.description)
      json.member("feed", offer.ref.feed)
      json.member("id", offer.ref.offerID)
      for field in OfferField.main { json.member(field, of: offer.offer) }
      json.member("favorite", offer.isFavorite)
      json.member("state", offer.state)
      json.member("expired", offer.isExpired(at: now))
      json.member("first_seen_at", offer.firstSeenAt)
      json.member("changed_at", offer.changedAt)
      json.member("gone_at", offer.goneAt)
      for field in OfferField.details { json.member(field, of: offer.offer) }
      more(&json)
    }
  }

  /// Writes a member whose value is a field of an offer.
  private mutating func member(_ field: OfferField, of offer: Offer) {
    switch field {
    case .reward: member(field.name, offer.reward, of: offer.ref.feed)
    case .categories: member(field.name, each: offer.categories) { $0.value($1) }
    case .startsAt: member(field.name, offer.startsAt)
    case .expiresAt: member(field.name, offer.expiresAt)
    case .latitude: member(field.name, number: offer.latitude.map { "\($0)" })
    case .longitude: member(field.name, number: offer.longitude.map { "\($0)" })
    case .attributes: member(field.name) { $0.value(offer.attributes) }
    default: member(field.name, offer[field])
    }
  }

  /// Writes attributes as a list of objects.
  package mutating func value(_ attributes: [OfferAttribute]) {
    array { json in
      for attribute in attributes {
        json.object { json in
          json.member("label", attribute.label)
          json.member("value", attribute.value)
        }
      }
    }
  }

  /// Writes a reward, or null. The percentage is an exact decimal number.
  ///
  /// - Parameters:
  ///   - reward: the reward or price.
  ///   - role: what it means, which is written as a member; nil to write none.
  package mutating func value(_ reward: Reward?, _ role: ValueRole? = nil) {
    guard let reward else { return null() }
    object { json in
      if let role { json.member("role", role.rawValue) }
      json.member("text", reward.text)
      json.member("kind", reward.kind.rawValue)
      json.member("minor_units", reward.minorUnits)
      json.member("currency", reward.currency)
      json.member("percent", number: reward.percentHundredths.map(Self.decimal))
      json.member("up_to", reward.isUpTo)
    }
  }

  /// Writes a member whose value is a reward, or null.
  package mutating func member(_ name: String, _ reward: Reward?) {
    member(name) { $0.value(reward) }
  }

  /// Writes a member whose value is the reward or price of an offer of a feed, or null.
  package mutating func member(_ name: String, _ reward: Reward?, of feed: String) {
    member(name) { $0.value(reward, $0.valueRole(of: feed)) }
  }

  /// The meaning of the values of a feed.
  package func valueRole(of feed: String) -> ValueRole {
    pricedFeeds.contains(feed) ? .price : .reward
  }
}

/// The fields of an offer, in the order of a record.
package enum OfferField: Int, CaseIterable, Sendable {
  case id
  case name
  case description
  case terms
  case reward
  case imageURL
  case url
  case retailer
  /// A JSON list of texts.
  case categories
  /// Unix seconds in decimal, like `expiresAt`.
  case startsAt
  case expiresAt
  /// Degrees in decimal, like `longitude`.
  case latitude
  case longitude
  /// A JSON list of pairs of strings, a label and a value.
  case attributes

  package static let count = allCases.count

  /// The fields before the details, without the id.
  package static let main = allCases[1..<retailer.rawValue]

  /// The optional fields from the retailer on, which many offers lack.
  package static let details = allCases[retailer.rawValue...]

  /// The fields whose value is one text, without the id and the reward.
  package static let texts = allCases.filter { [.line, .text, .link].contains($0.kind) }

  /// The form of a field's value.
  package enum Kind: Sendable {
    case id
    /// A text on one line.
    case line
    /// A text with lines and paragraphs.
    case text
    /// An address.
    case link
    /// A printed reward or price.
    case reward
    /// A JSON list.
    case list
    /// Unix seconds.
    case time
    /// A coordinate.
    case degrees
  }

  /// The form of the field's value, which determines how it is read, limited and stored.
  package var kind: Kind {
    switch self {
    case .id: .id
    case .name, .retailer: .line
    case .description, .terms: .text
    case .imageURL, .url: .link
    case .reward: .reward
    case .categories, .attributes: .list
    case .startsAt, .expiresAt: .time
    case .latitude, .longitude: .degrees
    }
  }

  /// The field's name in JSON and in a change's list of fields.
  package var name: String {
    switch self {
    case .id: "id"
    case .name: "name"
    case .description: "description"
    case .terms: "terms"
    case .reward: "reward"
    case .imageURL: "image_url"
    case .url: "url"
    case .retailer: "retailer"
    case .categories: "categories"
    case .startsAt: "starts_at"
    case .expiresAt: "expires_at"
    case .latitude: "latitude"
    case .longitude: "longitude"
    case .attributes: "attributes"
    }
  }
}

/// The result of setting or clearing the favorite mark of one offer.
public struct FavoriteChange: Hashable, Sendable {
  /// The offer after the call.
  public let offer: UserOffer
  /// False when the offer already had the requested mark.
  public let didChange: Bool

  /// Creates a favorite change of its parts; the properties describe them.
  public init(offer: UserOffer, didChange: Bool) {
    self.offer = offer
    self.didChange = didChange
  }
}
