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

  package var contentHash: UInt64 { record.makeContentHash(seed: seed) }

  package var record: OfferRecord {
    var record = OfferRecord()
    record[.id] = id
    record[.name] = name
    record[.description] = description
    record[.reward] = reward?.text
    for (field, text) in more { record[field] = text }
    return record
  }
}
