/// What the database holds of one feed, reduced to what a sync compares: for each offer the hash
/// of its id, the hash of its content, its key, and whether it is gone. 24 bytes an offer, so a
/// million offers take 24 MB.
public struct KnownOffers: Sendable {
  private struct Entry {
    let idHash: UInt64
    let contentHash: UInt64
    private let keyAndFlag: Int64

    init(_ offer: KnownOffer) {
      idHash = offer.idHash
      contentHash = offer.contentHash
      keyAndFlag = offer.key << 1 | (offer.isGone ? 1 : 0)
    }

    var key: Int64 { keyAndFlag >> 1 }
    var isGone: Bool { keyAndFlag & 1 != 0 }
    var offer: KnownOffer {
      KnownOffer(idHash: idHash, contentHash: contentHash, key: key, isGone: isGone)
    }
  }

  /// In the order they were inserted, which is mostly the order they will be asked for.
  private var entries: [Entry] = []
  /// A bit for each entry that was seen since the table was made.
  private var seen: [UInt64] = []
  /// A bit for each remembered record, by its number, that says what is stored.
  private var recalled: [UInt64] = []
  /// The entries that these speak of, by their numbers, where keys are missing between; else a key
  /// tells where its entry stands, without a look at a table too large for the processor's memory.
  private var recalledSlots: [UInt32] = []
  /// Whether no key is missing between the first and the last.
  private var isDense = true
  /// The entries by the hashes of their ids. Made when an offer first stands elsewhere than expected:
  /// a feed that keeps its order and has nothing new never needs it.
  private var index: SlotIndex?
  /// The entry behind the one found last.
  private var likely = 0
  private var brokenSlots: [Int] = []
  /// That of the ids' hashes.
  public let idSeed: UInt64
  /// Offers the feed had when it was last synced.
  public private(set) var currentCount = 0
  /// Of those, the ones seen since the table was made.
  public private(set) var seenCurrentCount = 0

  /// Offers in the table, gone ones included.
  public var count: Int { entries.count }

  /// - Parameters:
  ///   - capacity: about how many offers will be inserted; never more than 4 billion.
  ///   - idSeed: one that whoever writes a feed does not know: ids with one hash would pass for one.
  public init(capacity: Int, idSeed: UInt64 = .random(in: .min ... .max)) {
    entries.reserveCapacity(capacity)
    self.idSeed = idSeed
  }

  /// Adds an offer. `key` is the store's own number for it, above 0, and above those before: an offer
  /// whose key is not may be taken for unknown by `recall`.
  public mutating func insert(
    id: UnsafeRawBufferPointer, contentHash: UInt64, key: Int64, isGone: Bool
  ) {
    insert(
      KnownOffer(
        idHash: KnownOffer.idHash(of: id, seed: idSeed), contentHash: contentHash, key: key,
        isGone: isGone))
  }

  /// Adds an offer whose id was hashed with the table's own seed.
  public mutating func insert(_ offer: KnownOffer) {
    precondition(index == nil, "all offers are inserted before the first is looked for")
    if let first = entries.first, offer.key != first.key + Int64(entries.count) { isDense = false }
    entries.append(Entry(offer))
    if entries.count > 64 * seen.count { seen.append(0) }
    if !offer.isGone { currentCount += 1 }
  }

  /// The offers, in the order in which they were inserted.
  public var offers: some Sequence<KnownOffer> { entries.lazy.map(\.offer) }

  /// The result of looking up an offer of the feed.
  public enum Sighting: Hashable, Sendable {
    /// The store does not have the offer.
    case new
    /// The content is the same.
    case unchanged(key: Int64)
    /// The content differs, or the offer was gone. The key is the store's.
    case different(key: Int64)
    /// An earlier record of this sync has the same id.
    case repeated
  }

  /// Marks an offer as seen in this sync, and tells what is known of it.
  public mutating func see(id: UnsafeRawBufferPointer, contentHash: UInt64) -> Sighting {
    guard let slot = find(id) else { return .new }
    let entry = entries[slot]
    guard markSeen(slot) else { return .repeated }
    if entry.contentHash == contentHash && !entry.isGone { return .unchanged(key: entry.key) }
    return .different(key: entry.key)
  }

  /// Finds the offers that records spoke of. Called once, before any is seen; afterwards a record is
  /// seen with no look at the table, which is too large for the processor's own memory.
  public mutating func recall(_ records: [RememberedRecord]) {
    recalled = [UInt64](repeating: 0, count: (records.count + 63) / 64)
    if !isDense { recalledSlots = [UInt32](repeating: 0, count: records.count) }
    for (number, record) in records.enumerated() {
      guard let slot = find(key: Int64(record.key)), !entries[slot].isGone,
        UInt32(truncatingIfNeeded: entries[slot].contentHash) == record.contentMark
      else { continue }
      recalled[number >> 6] |= Self.bit(number)
      if !isDense { recalledSlots[number] = UInt32(slot) }
      likely = slot + 1
    }
    likely = 0
  }

  /// Marks an offer as seen in this sync by a record that says what it said before.
  ///
  /// - Parameters:
  ///   - number: the record's place among those recalled.
  ///   - key: the store's key that the record of this number has. Another one marks another offer.
  /// - Returns: whether it is as it was. If not, or if it was seen already, nothing is marked: the
  ///   record has to be read.
  public mutating func see(recalled number: Int, key: UInt32) -> Bool {
    guard number >> 6 < recalled.count, recalled[number >> 6] & Self.bit(number) != 0 else {
      return false
    }
    let slot =
      isDense ? Int(Int64(key) - (entries.first?.key ?? 0)) : Int(recalledSlots[number])
    guard markSeen(slot, isGone: false) else { return false }
    likely = slot + 1
    return true
  }

  /// Mostly the next one, or as far behind the first as its key is, because few keys are missing
  /// between. Else by halves, because they ascend.
  private func find(key: Int64) -> Int? {
    func isThere(_ slot: Int) -> Bool {
      entries.indices.contains(slot) && entries[slot].key == key
    }
    if isThere(likely) { return likely }
    guard let first = entries.first else { return nil }
    let guess = Int(key - first.key)
    if isThere(guess) { return guess }
    var low = 0
    var high = entries.count
    while low < high {
      let middle = (low + high) / 2
      if entries[middle].key < key { low = middle + 1 } else { high = middle }
    }
    return isThere(low) ? low : nil
  }

  /// Takes note of an offer whose record could not be read whole: it has not vanished. A sound
  /// record of it may still come.
  public mutating func seeBroken(id: UnsafeRawBufferPointer) {
    if let slot = find(id) { brokenSlots.append(slot) }
  }

  /// Counts the offers as seen that only broken records spoke of. Called when all is read.
  public mutating func settleBroken() {
    for slot in brokenSlots { _ = markSeen(slot) }
    brokenSlots = []
  }

  @inline(__always)
  private func isSeen(_ slot: Int) -> Bool { seen[slot >> 6] & Self.bit(slot) != 0 }

  /// The bit of an entry in its word of `seen`.
  @inline(__always)
  private static func bit(_ slot: Int) -> UInt64 { 1 << UInt64(slot & 63) }

  private mutating func markSeen(_ slot: Int) -> Bool {
    markSeen(slot, isGone: entries[slot].isGone)
  }

  /// Returns false when the offer was seen already.
  @inline(__always)
  private mutating func markSeen(_ slot: Int, isGone: Bool) -> Bool {
    if isSeen(slot) { return false }
    seen[slot >> 6] |= Self.bit(slot)
    if !isGone { seenCurrentCount += 1 }
    return true
  }

  private mutating func find(_ id: UnsafeRawBufferPointer) -> Int? {
    if entries.isEmpty { return nil }
    let hash = KnownOffer.idHash(of: id, seed: idSeed)
    if likely < entries.count, entries[likely].idHash == hash {
      likely += 1
      return likely - 1
    }
    if index == nil { index = makeIndex() }
    guard let slot = index?.first(hash, where: { entries[$0].idHash == hash }) else { return nil }
    likely = slot + 1
    return slot
  }

  /// The keys of the offers that the feed had and this sync has not seen, ascending.
  public func vanishedKeys() -> [Int64] {
    var vanished: [Int64] = []
    vanished.reserveCapacity(currentCount - seenCurrentCount)
    for (slot, entry) in entries.enumerated()
    where !entry.isGone && !isSeen(slot) {
      vanished.append(entry.key)
    }
    vanished.sort()
    return vanished
  }

  private func makeIndex() -> SlotIndex {
    var made = SlotIndex(count: entries.count)
    for (slot, entry) in entries.enumerated() { made.insert(slot, hash: entry.idHash) }
    return made
  }
}
