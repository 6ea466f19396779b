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
        let texts = item.offer.texts
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
