import OffersCore

/// An offer of a test's feed.
struct FeedOffer: Sendable {
  var id: String
  var name: String
  var description: String?
  var reward: Reward?
  /// Other fields, lists as their JSON.
  var more: [OfferField: String]
  /// An additional input of the content hash besides the texts.
  var seed: UInt64 = 0

  init(
    _ id: String, name: String = "Milk", description: String? = nil, reward: Reward? = nil,
    more: [OfferField: String] = [:]
  ) {
    self.more = more
    self.id = id
    self.name = name
    self.description = description
    self.reward = reward
  }

  var contentHash: UInt64 {
    withTexts { $0.contentHash(seed: seed) }
  }

  /// Calls `body` with views of the texts.
  func withTexts<Result>(_ body: (OfferTexts) throws -> Result) rethrows -> Result {
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

  var exactReward: ExactReward {
    var exact = ExactReward()
    exact.isUpTo = reward?.isUpTo ?? false
    switch reward?.value {
    case .amount(let units, let currency):
      let code = Array(currency.utf8)
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

/// Offers as records, in feed order.
struct FeedRecords: OfferRecordSource {
  /// The input of one record.
  struct Item {
    var offer: FeedOffer
    var position: Int
    /// The stored offer's key; 0 for a new one.
    var key: Int64
  }

  var items: [Item] = []

  func makeReader() -> any OfferRecordReader { Reader(items) }

  /// Writes each record to the same buffer, which invalidates the previous one.
  private final class Reader: OfferRecordReader {
    private var items: ArraySlice<Item>
    private var room: UnsafeMutableRawPointer?

    init(_ items: [Item]) { self.items = items[...] }

    deinit { room?.deallocate() }

    func next() -> OfferRecord? {
      room?.deallocate()
      room = nil
      return items.popFirst().map { item in
        item.offer.withTexts { texts in
          let count = OfferRecord.byteCount(of: texts)
          let room = UnsafeMutableRawPointer.allocate(byteCount: count, alignment: 8)
          self.room = room
          OfferRecord.write(
            texts, position: item.position, contentHash: item.offer.contentHash,
            offerKey: item.key, reward: item.offer.exactReward, byteCount: count, to: room)
          return OfferRecord(at: room)
        }
      }
    }
  }
}
