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

  package var contentHash: UInt64 {
    withTexts { $0.contentHash(seed: seed) }
  }

  /// Calls `body` with views of the texts.
  package func withTexts<Result>(_ body: (OfferTexts) throws -> Result) rethrows -> Result {
    let fields: [(OfferField, String?)] =
      [(.id, id), (.name, name), (.description, description), (.reward, reward?.text)]
      + more.sorted { $0.key.rawValue < $1.key.rawValue }
    let bytes = fields.flatMap { Array(($0.1 ?? "").utf8) }
    return try bytes.withUnsafeBytes { bytes in
      var texts = OfferTexts()
      var start = 0
      for (field, text) in fields {
        guard let count = text?.utf8.count else { continue }
        texts[field] = UnsafeRawBufferPointer(rebasing: bytes[start..<start + count])
        start += count
      }
      return try body(texts)
    }
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
