import Foundation

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
      json.member("state", offer.state.rawValue)
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
