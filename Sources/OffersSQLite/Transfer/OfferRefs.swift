import OffersCore

/// A map from offer keys to references.
struct OfferRefs {
  private var refs: [Int64: OfferRef] = [:]
  private var keys = SortedKeys()

  mutating func insert(_ ref: OfferRef, key: Int64) {
    if refs.updateValue(ref, forKey: key) == nil { keys.insert(key) }
  }

  /// The offers among the `count` consecutive keys that end with `key`, in key order.
  func find(upTo key: Int64, count: Int64) -> [OfferRef] {
    keys.find(upTo: key, count: count).compactMap { refs[$0] }
  }
}
