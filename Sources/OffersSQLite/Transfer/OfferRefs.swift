import OffersCore

/// Some offers by their keys in the database.
struct OfferRefs {
  private var refs: [Int64: OfferRef] = [:]
  private var keys = SortedKeys()

  mutating func insert(_ ref: OfferRef, key: Int64) {
    if refs.updateValue(ref, forKey: key) == nil { keys.insert(key) }
  }

  /// Those among so many offers with the keys up to one, in the order of their keys.
  func find(upTo key: Int64, count: Int64) -> [OfferRef] {
    keys.find(upTo: key, count: count).compactMap { refs[$0] }
  }
}
