/// Finds places in a list by hashes: an open-addressed table of the places' numbers from 1, each with
/// the bits that the numbers leave for a part of its hash, which tells nearly all strangers apart
/// without a look at the list; 0 is free. It is asked in any order, so it is kept small enough for the
/// processor's own memory.
struct SlotIndex: Sendable {
  private var places: [UInt32]
  /// The bits that hold a part of the hash.
  private let tagMask: UInt32

  /// - Parameter count: how many places there may be, never more than 4 billion.
  init(count: Int) {
    places = [UInt32](repeating: 0, count: max(16, 2 * count))
    tagMask = ~(UInt32.max >> UInt32(truncatingIfNeeded: count).leadingZeroBitCount)
  }

  mutating func insert(_ slot: Int, hash: UInt64) {
    var place = firstPlace(hash)
    while places[place] != 0 { place = next(place) }
    places[place] = tag(hash) | UInt32(slot + 1)
  }

  /// The first of the places with a hash that a test finds to be the right one.
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

  /// A part of a hash that its place in the table does not depend on.
  private func tag(_ hash: UInt64) -> UInt32 { UInt32(truncatingIfNeeded: hash) & tagMask }

  private func firstPlace(_ hash: UInt64) -> Int {
    Int(truncatingIfNeeded: hash.multipliedFullWidth(by: UInt64(places.count)).high)
  }

  private func next(_ place: Int) -> Int {
    place + 1 == places.count ? 0 : place + 1
  }
}
