import OffersCore

/// An offer of a test's feed.
package struct FeedOffer: Sendable {
  package var id: String
  package var name: String
  package var description: String?
  package var reward: Reward?
  /// Other fields, lists as their JSON.
  package var more: [OfferField: String]
  /// An additional input of the content hash besides the texts.
  package var seed: UInt64 = 0

  package init(
    _ id: String, name: String = "Milk", description: String? = nil, reward: Reward? = nil,
    more: [OfferField: String] = [:]
  ) {
    self.more = more
    self.id = id
    self.name = name
    self.description = description
    self.reward = reward
  }

  package var contentHash: UInt64 { texts.contentHash(seed: seed) }

  package var texts: OfferTexts {
    var texts = OfferTexts()
    texts[.id] = id
    texts[.name] = name
    texts[.description] = description
    texts[.reward] = reward?.text
    for (field, text) in more { texts[field] = text }
    return texts
  }

  package var exactReward: ExactReward {
    var exact = ExactReward()
    exact.isUpTo = reward?.isUpTo ?? false
    switch reward?.value {
    case .amount(let units, _):
      let code = Array((reward?.storedCurrency ?? "").utf8)
      exact.kind = OfferRecord.amount
      exact.number = units
      exact.currency = (code[0], code[1], code[2])
    case .percent(let hundredths):
      exact.kind = OfferRecord.percent
      exact.number = hundredths
    case nil: break
    }
    return exact
  }
}
