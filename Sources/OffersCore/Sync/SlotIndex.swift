/// An index from hashes to positions of a list: an open-addressed hash table with linear probing.
///
/// Each entry holds a position, counted from 1, in its low bits and part of the hash as a tag in
/// the remaining bits; 0 is a free entry. The tag rejects nearly all mismatches without a look at
/// the list. Entries have 32 bits to keep the table small, because lookups access it at random.
struct SlotIndex: Sendable {
  private var places: [UInt32]
  /// The bits of an entry that hold the tag.
  private let tagMask: UInt32

  /// - Parameter count: the maximum number of positions, at most 4 billion.
  init(count: Int) {
    places = [UInt32](repeating: 0, count: max(16, 2 * count))
    tagMask = ~(UInt32.max >> UInt32(truncatingIfNeeded: count).leadingZeroBitCount)
  }

  mutating func insert(_ slot: Int, hash: UInt64) {
    var place = firstPlace(hash)
    while places[place] != 0 { place = next(place) }
    places[place] = tag(hash) | UInt32(slot + 1)
  }

  /// The first position that satisfies a predicate, among those that may have been inserted with a
  /// hash; nil when there is none. The predicate must compare the hashes, because the table holds
  /// only a part of each.
  @inline(__always)
  func first(_ hash: UInt64, where isIt: (Int) -> Bool) -> Int? {
    var place = firstPlace(hash)
    while places[place] != 0 {
      if places[place] & tagMask == tag(hash) {
        let slot = Int(places[place] & ~tagMask) - 1
        if isIt(slot) { return slot }
      }
      place = next(place)
    }
    return nil
  }

  /// The tag of a hash: its low bits. The place in the table depends on the high bits.
  private func tag(_ hash: UInt64) -> UInt32 { UInt32(truncatingIfNeeded: hash) & tagMask }

  private func firstPlace(_ hash: UInt64) -> Int {
    Int(truncatingIfNeeded: hash.multipliedFullWidth(by: UInt64(places.count)).high)
  }

  private func next(_ place: Int) -> Int {
    place + 1 == places.count ? 0 : place + 1
  }
}
