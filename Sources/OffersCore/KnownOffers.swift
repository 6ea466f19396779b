/// What the database holds of one feed, reduced to what a sync compares: for each offer the hash
/// of its id, the hash of its content, its key, and whether it is gone. 32 bytes an offer, so a
/// million offers take 32 MB.
public struct KnownOffers: Sendable {
  private struct Entry {
    var idHash: UInt64
    var contentHash: UInt64
    /// The key shifted left by two, and the flags.
    var keyAndFlags: Int64
  }

  /// In the order they were inserted, which is mostly the order they will be asked for.
  private var entries: [Entry] = []
  /// The entries by the hashes of their ids. Made when an offer first stands elsewhere than expected:
  /// a feed that keeps its order and has nothing new never needs it.
  private var index: SlotIndex?
  /// The entry behind the one found last.
  private var likely = 0
  private var brokenSlots: [Int] = []
  private let idSeed: UInt64
  /// Offers the feed had when it was last synced.
  public private(set) var currentCount = 0
  /// Of those, the ones seen since the table was made.
  public private(set) var seenCurrentCount = 0

  private static let seen: Int64 = 1
  private static let gone: Int64 = 2

  /// Offers in the table, gone ones included.
  public var count: Int { entries.count }

  /// - Parameter capacity: about how many offers will be inserted; never more than 4 billion.
  public init(capacity: Int) {
    entries.reserveCapacity(capacity)
    idSeed = UInt64.random(in: .min ... .max)
  }

  /// Adds an offer. `key` is the store's own number for it, above 0, and above those before: an offer
  /// whose key is not may be taken for unknown by `see(_ record:)`.
  public mutating func insert(
    id: UnsafeRawBufferPointer, contentHash: UInt64, key: Int64, isGone: Bool
  ) {
    precondition(index == nil, "all offers are inserted before the first is looked for")
    entries.append(
      Entry(
        idHash: hash(ofID: id), contentHash: contentHash,
        keyAndFlags: key << 2 | (isGone ? Self.gone : 0)))
    if !isGone { currentCount += 1 }
  }

  /// What meeting an offer in the feed says about it.
  public enum Sighting: Hashable, Sendable {
    /// The store has not got it.
    case new
    /// It is as it was.
    case unchanged(key: Int64)
    /// Its content differs, or it was gone. The store's key for it.
    case different(key: Int64)
    /// It was met before in this sync.
    case repeated
  }

  /// Marks an offer as seen in this sync, and tells what is known of it.
  public mutating func see(id: UnsafeRawBufferPointer, contentHash: UInt64) -> Sighting {
    guard let slot = find(id) else { return .new }
    let entry = entries[slot]
    guard markSeen(slot) else { return .repeated }
    if entry.contentHash == contentHash && entry.keyAndFlags & Self.gone == 0 {
      return .unchanged(key: entry.keyAndFlags >> 2)
    }
    return .different(key: entry.keyAndFlags >> 2)
  }

  /// Marks an offer as seen in this sync by a record that says what it said before.
  ///
  /// - Returns: whether it is as it was. If not, or if it was seen already, nothing is marked: the
  ///   record has to be read.
  public mutating func see(_ record: RememberedRecord) -> Bool {
    guard let slot = find(key: Int64(record.key)) else { return false }
    let entry = entries[slot]
    guard entry.keyAndFlags & 3 == 0,
      UInt32(truncatingIfNeeded: entry.contentHash) == record.contentMark
    else { return false }
    likely = slot + 1
    return markSeen(slot)
  }

  /// Mostly the next one, or as far behind the first as its key is, because few keys are missing
  /// between. Else by halves, because they ascend.
  private func find(key: Int64) -> Int? {
    func isThere(_ slot: Int) -> Bool {
      entries.indices.contains(slot) && entries[slot].keyAndFlags >> 2 == key
    }
    if isThere(likely) { return likely }
    guard let first = entries.first else { return nil }
    let guess = Int(key - (first.keyAndFlags >> 2))
    if isThere(guess) { return guess }
    var low = 0
    var high = entries.count
    while low < high {
      let middle = (low + high) / 2
      if entries[middle].keyAndFlags >> 2 < key { low = middle + 1 } else { high = middle }
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

  /// Returns false when the offer was seen already.
  private mutating func markSeen(_ slot: Int) -> Bool {
    let flags = entries[slot].keyAndFlags
    if flags & Self.seen != 0 { return false }
    entries[slot].keyAndFlags = flags | Self.seen
    if flags & Self.gone == 0 { seenCurrentCount += 1 }
    return true
  }

  private mutating func find(_ id: UnsafeRawBufferPointer) -> Int? {
    if entries.isEmpty { return nil }
    let hash = hash(ofID: id)
    if likely < entries.count, entries[likely].idHash == hash {
      likely += 1
      return likely - 1
    }
    let index = self.index ?? makeIndex()
    guard let slot = index.first(hash, where: { entries[$0].idHash == hash }) else { return nil }
    likely = slot + 1
    return slot
  }

  /// The keys of the offers that the feed had and this sync has not seen, ascending.
  public func vanishedKeys() -> [Int64] {
    var vanished: [Int64] = []
    vanished.reserveCapacity(currentCount - seenCurrentCount)
    for entry in entries where entry.keyAndFlags & 3 == 0 {
      vanished.append(entry.keyAndFlags >> 2)
    }
    vanished.sort()
    return vanished
  }

  private func hash(ofID id: UnsafeRawBufferPointer) -> UInt64 {
    var hash = ContentHash(seed: idSeed)
    hash.combine(id)
    return hash.value
  }

  private mutating func makeIndex() -> SlotIndex {
    var made = SlotIndex(count: entries.count)
    for (slot, entry) in entries.enumerated() { made.insert(slot, hash: entry.idHash) }
    index = made
    return made
  }
}
