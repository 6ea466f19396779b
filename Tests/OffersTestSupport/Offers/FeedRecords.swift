import OffersCore

/// Offers as records, in feed order.
package struct FeedRecords: OfferRecordSource {
  /// The input of one record.
  package struct Item {
    package var offer: FeedOffer
    package var position: Int
    /// The stored offer's key; 0 for a new one.
    package var key: Int64

    package init(offer: FeedOffer, position: Int, key: Int64) {
      self.offer = offer
      self.position = position
      self.key = key
    }
  }

  package var items: [Item]

  package init(_ items: [Item] = []) { self.items = items }

  package func makeReader() -> any OfferRecordReader { Reader(items) }

  private final class Reader: OfferRecordReader {
    private var items: ArraySlice<Item>

    init(_ items: [Item]) { self.items = items[...] }

    func next() -> OfferRecord? {
      items.popFirst().map { item in
        var record = item.offer.record
        record.position = item.position
        record.offerKey = item.key
        record.contentHash = item.offer.contentHash
        record.reward = item.offer.reward
        return record
      }
    }
  }
}
