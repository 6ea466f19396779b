/// The stored offers of one feed, reduced to what a sync compares: for each offer a hash of its id,
/// the hash of its content, its key, and whether it is gone. 24 bytes per offer.
package struct KnownOffers: Sendable {
  private struct Entry {
    let idHash: UInt64
    let contentHash: UInt64
    private let keyAndFlag: Int64

    init(idHash: UInt64, contentHash: UInt64, key: Int64, isGone: Bool) {
      self.idHash = idHash
      self.contentHash = contentHash
      keyAndFlag = key << 1 | (isGone ? 1 : 0)
    }

    var key: Int64 { keyAndFlag >> 1 }
    var isGone: Bool { keyAndFlag & 1 != 0 }
  }

  /// The offers in the order of insertion, which is mostly the order of lookups.
  private var entries: [Entry] = []
  /// One bit per entry: whether it was seen in this sync.
  private var seen: [UInt64] = []
  /// A hash index over the entries. Created at the first lookup that is not in the expected order:
  /// a feed in stored order without new offers never needs it.
  private var index: OpenHashTable?
  /// The entry after the last one found, which the next lookup tries first.
  private var likely = 0
  private var brokenSlots: [Int] = []
  /// The seed of the hashes of ids. It is secret, so that nobody can construct a feed with
  /// colliding ids, which would count as one.
  private let idSeed = UInt64.random(in: .min ... .max)
  /// The number of current offers after the feed's last sync.
  package private(set) var currentCount = 0
  /// The number of current offers that were seen in this sync.
  package private(set) var seenCurrentCount = 0

  /// The number of offers that were seen in this sync, gone ones included.
  package private(set) var seenCount = 0

  /// The number of offers in the table, gone ones included.
  package var count: Int { entries.count }

  /// - Parameter capacity: the expected number of offers. It may come from a damaged file, so no more memory than
  ///   that for 10 million is reserved.
  package init(capacity: Int) {
    entries.reserveCapacity(min(capacity, 10_000_000))
  }

  /// Adds an offer. `key` is the store's key, above 0.
  package mutating func insert(
    id: UnsafeRawBufferPointer, contentHash: UInt64, key: Int64, isGone: Bool
  ) {
    precondition(index == nil, "all offers are inserted before the first is looked for")
    entries.append(
      Entry(idHash: hash(id), contentHash: contentHash, key: key, isGone: isGone))
    if entries.count > 64 * seen.count { seen.append(0) }
    if !isGone { currentCount += 1 }
  }

  private func hash(_ id: UnsafeRawBufferPointer) -> UInt64 {
    var hash = ContentHash(seed: idSeed)
    hash.combine(id)
    return hash.value
  }

  /// The result of looking up an offer of the feed.
  package enum Sighting: Hashable, Sendable {
    /// The store does not have the offer.
    case new
    /// The stored offer has the same content and is not gone.
    case unchanged(key: Int64)
    /// The stored offer has another content hash, or was gone.
    case different(key: Int64)
    /// The offer was already seen in this sync.
    case repeated
  }

  /// Looks up an offer and marks it as seen.
  package mutating func see(id: String, contentHash: UInt64) -> Sighting {
    guard let slot = find(id) else { return .new }
    let entry = entries[slot]
    guard markSeen(slot) else { return .repeated }
    if entry.contentHash == contentHash && !entry.isGone { return .unchanged(key: entry.key) }
    return .different(key: entry.key)
  }

  /// Records an offer whose record is invalid, so that it does not count as vanished. A valid
  /// record of it may still follow.
  package mutating func seeBroken(id: String) {
    if let slot = find(id) { brokenSlots.append(slot) }
  }

  /// Marks the offers as seen that had invalid records only. Called after the last record.
  package mutating func settleBroken() {
    for slot in brokenSlots { _ = markSeen(slot) }
    brokenSlots = []
  }

  @inline(__always)
  private func isSeen(_ slot: Int) -> Bool { seen[slot >> 6] & Self.bit(slot) != 0 }

  /// The bit of an entry in its word of `seen`.
  @inline(__always)
  private static func bit(_ slot: Int) -> UInt64 { 1 << UInt64(slot & 63) }

  /// Returns false if the offer was already seen.
  @inline(__always)
  private mutating func markSeen(_ slot: Int) -> Bool {
    if isSeen(slot) { return false }
    seen[slot >> 6] |= Self.bit(slot)
    seenCount += 1
    if !entries[slot].isGone { seenCurrentCount += 1 }
    return true
  }

  private mutating func find(_ id: String) -> Int? {
    if entries.isEmpty { return nil }
    var id = id
    let hash = id.withUTF8 { self.hash(UnsafeRawBufferPointer($0)) }
    if likely < entries.count, entries[likely].idHash == hash {
      likely += 1
      return likely - 1
    }
    if index == nil { index = makeIndex() }
    guard let slot = index?.first(hash, where: { entries[$0].idHash == hash }) else { return nil }
    likely = slot + 1
    return slot
  }

  /// The keys of the current offers that this sync has not seen, ascending.
  package func vanishedKeys() -> [Int64] {
    var vanished: [Int64] = []
    vanished.reserveCapacity(currentCount - seenCurrentCount)
    for (slot, entry) in entries.enumerated()
    where !entry.isGone && !isSeen(slot) {
      vanished.append(entry.key)
    }
    vanished.sort()
    return vanished
  }

  /// The keys of the offers that this sync has seen, ascending.
  package func seenKeys() -> [Int64] {
    entries.indices.filter(isSeen).map { entries[$0].key }.sorted()
  }

  private func makeIndex() -> OpenHashTable {
    var made = OpenHashTable(count: entries.count)
    for (slot, entry) in entries.enumerated() { made.insert(slot, hash: entry.idHash) }
    return made
  }
}

/// An index from hashes to positions of a list: an open-addressed hash table with linear probing.
///
/// Each entry holds a position, counted from 1, in its low bits and part of the hash as a tag in
/// the remaining bits; 0 is a free entry. The tag rejects nearly all mismatches without a look at
/// the list. Entries have 32 bits to keep the table small, because lookups access it at random.
struct OpenHashTable: Sendable {
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
