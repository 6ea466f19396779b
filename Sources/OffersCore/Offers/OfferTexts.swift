/// The texts of an offer, as views of the reader's memory that are valid only during the call that
/// passes them.
package struct OfferTexts {
  package var id: UnsafeRawBufferPointer?
  package var name: UnsafeRawBufferPointer?
  package var description: UnsafeRawBufferPointer?
  package var terms: UnsafeRawBufferPointer?
  package var reward: UnsafeRawBufferPointer?
  package var imageURL: UnsafeRawBufferPointer?
  package var url: UnsafeRawBufferPointer?
  package var retailer: UnsafeRawBufferPointer?
  package var categories: UnsafeRawBufferPointer?
  package var startsAt: UnsafeRawBufferPointer?
  package var expiresAt: UnsafeRawBufferPointer?
  package var latitude: UnsafeRawBufferPointer?
  package var longitude: UnsafeRawBufferPointer?
  package var attributes: UnsafeRawBufferPointer?
  /// The ISO 4217 code of the currency that the record states beside the text of the reward; nil if
  /// it states none, or if the text has the code in it.
  package var rewardCurrency: (UInt8, UInt8, UInt8)?
  /// Whether the reward is a JSON number, in which a point before three digits is the decimal mark.
  package var isRewardNumber = false
  /// Whether the same record may give other texts later, because a sale begins or ends.
  package var isTimed = false

  package init() {}

  /// Sets all texts to nil.
  package mutating func clear() {
    self = OfferTexts()
  }

  @inlinable
  package subscript(field: OfferField) -> UnsafeRawBufferPointer? {
    @inline(__always) get {
      switch field {
      case .id: id
      case .name: name
      case .description: description
      case .terms: terms
      case .reward: reward
      case .imageURL: imageURL
      case .url: url
      case .retailer: retailer
      case .categories: categories
      case .startsAt: startsAt
      case .expiresAt: expiresAt
      case .latitude: latitude
      case .longitude: longitude
      case .attributes: attributes
      }
    }
    @inline(__always) set {
      switch field {
      case .id: id = newValue
      case .name: name = newValue
      case .description: description = newValue
      case .terms: terms = newValue
      case .reward: reward = newValue
      case .imageURL: imageURL = newValue
      case .url: url = newValue
      case .retailer: retailer = newValue
      case .categories: categories = newValue
      case .startsAt: startsAt = newValue
      case .expiresAt: expiresAt = newValue
      case .latitude: latitude = newValue
      case .longitude: longitude = newValue
      case .attributes: attributes = newValue
      }
    }
  }

  /// Whether any of the optional fields from `retailer` on has a text.
  var hasDetails: Bool {
    retailer != nil || categories != nil || startsAt != nil || expiresAt != nil || latitude != nil
      || longitude != nil || attributes != nil
  }

  /// Calls `body` with the number and the text of each field, nil if it has none. The fields from
  /// `retailer` on are omitted if none of them has a text.
  @inline(__always)
  func forEachField(_ body: (Int, UnsafeRawBufferPointer?) -> Void) {
    body(OfferField.id.rawValue, id)
    body(OfferField.name.rawValue, name)
    body(OfferField.description.rawValue, description)
    body(OfferField.terms.rawValue, terms)
    body(OfferField.reward.rawValue, reward)
    body(OfferField.imageURL.rawValue, imageURL)
    body(OfferField.url.rawValue, url)
    if !hasDetails { return }
    body(OfferField.retailer.rawValue, retailer)
    body(OfferField.categories.rawValue, categories)
    body(OfferField.startsAt.rawValue, startsAt)
    body(OfferField.expiresAt.rawValue, expiresAt)
    body(OfferField.latitude.rawValue, latitude)
    body(OfferField.longitude.rawValue, longitude)
    body(OfferField.attributes.rawValue, attributes)
  }

  /// The hash of all texts, the id included.
  ///
  /// - Parameter seed: a hash of the rules by which offers are derived from documents.
  package func contentHash(seed: UInt64) -> UInt64 {
    var hash = ContentHash(seed: seed)
    forEachField { field, text in
      if let text { hash.combine(text, tag: UInt64(field) << 32) }
    }
    if let (a, b, c) = rewardCurrency {
      withUnsafeBytes(of: (a, b, c)) { hash.combine($0, tag: UInt64(OfferField.count) << 32) }
    }
    if isRewardNumber { hash.combine(nil) }
    return hash.value
  }
}
