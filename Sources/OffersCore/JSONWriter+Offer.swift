import Foundation

extension JSONWriter {
  /// Writes an offer as every `--json` and the API print it.
  package mutating func value(_ offer: Offer) {
    object { json in
      json.key("ref")
      json.value(offer.ref.description)
      json.key("feed")
      json.value(offer.ref.feed)
      json.key("id")
      json.value(offer.ref.id)
      json.key("name")
      json.value(offer.name)
      json.key("description")
      json.value(offer.description)
      json.key("terms")
      json.value(offer.terms)
      json.key("reward")
      json.value(offer.reward)
      json.key("image_url")
      json.value(offer.imageURL)
      json.key("url")
      json.value(offer.url)
      json.key("favorite")
      json.value(offer.isFavorite)
      json.key("state")
      json.value(offer.state.rawValue)
      json.key("first_seen_at")
      json.value(offer.firstSeenAt)
      json.key("changed_at")
      json.value(offer.changedAt)
      json.key("gone_at")
      json.value(offer.goneAt)
      json.key("retailer")
      json.value(offer.retailer)
      json.key("categories")
      json.array { json in
        for category in offer.categories { json.value(category) }
      }
      json.key("starts_at")
      json.value(offer.startsAt)
      json.key("expires_at")
      json.value(offer.expiresAt)
      json.key("latitude")
      json.number(degrees: offer.latitude)
      json.key("longitude")
      json.number(degrees: offer.longitude)
      json.key("attributes")
      json.value(offer.attributes)
    }
  }

  /// Writes labelled texts as a list of objects.
  package mutating func value(_ attributes: [OfferAttribute]) {
    array { json in
      for attribute in attributes {
        json.object { json in
          json.key("label")
          json.value(attribute.label)
          json.key("value")
          json.value(attribute.value)
        }
      }
    }
  }

  private mutating func number(degrees: Double?) {
    if let degrees { number("\(degrees)") } else { null() }
  }

  /// Writes a reward; the percentage as an exact decimal number.
  package mutating func value(_ reward: Reward?) {
    guard let reward else { return null() }
    object { json in
      json.key("text")
      json.value(reward.text)
      json.key("kind")
      json.value(reward.kind.rawValue)
      json.key("minor_units")
      json.value(reward.minorUnits)
      json.key("currency")
      json.value(reward.currency)
      json.key("percent")
      if let hundredths = reward.percentHundredths {
        json.number(Self.decimal(hundredths: hundredths))
      } else {
        json.null()
      }
      json.key("up_to")
      json.value(reward.isUpTo)
    }
  }

  /// Writes a time as ISO 8601 in UTC, to the second.
  package mutating func value(_ date: Date?) {
    value(date.map { $0.formatted(.iso8601) })
  }

  /// 500 is `5`, 250 is `2.5`.
  package static func decimal(hundredths: Int64) -> String {
    let whole = hundredths / 100
    let rest = hundredths % 100
    if rest == 0 { return "\(whole)" }
    if rest % 10 == 0 { return "\(whole).\(rest / 10)" }
    return "\(whole).\(rest < 10 ? "0" : "")\(rest)"
  }
}
