import OffersCore
import OffersFeeds

/// Compares the records of a feed with the stored offers, and collects the records that differ.
final class DifferenceCollector: OfferSink {
  /// The stored offers of the feed, with which the records are compared; none before `begin`.
  private(set) var known = KnownOffers(capacity: 0)
  /// The records of offers that the store does not have.
  let newRecords: RecordSpool
  /// The records of stored offers whose content differs, or that had vanished.
  let knownRecords: RecordSpool
  private let rewards: RewardParser
  private let seed: UInt64
  private(set) var unchangedCount = 0
  private(set) var skippedCount = 0
  private(set) var mendedCount = 0
  /// Whether the same document may give other offers later; see `OfferRecord.isTimed`.
  private(set) var isTimed = false
  /// The number of valid records, repeated ones included.
  private(set) var offerCount = 0
  /// The look of the first offers.
  private(set) var look = FeedTraits()
  /// The new offers with a link, at most one more than `RenamedOfferMatcher` compares; none for the first
  /// document of a feed.
  private(set) var linkedOffers: [RenameCandidate] = []
  private(set) var problems: [ReadProblem] = []
  /// The number of records on the first page; nil while there is only one page.
  private(set) var firstPageRecords: Int?
  private var earlierRecords = 0
  /// The number of valid records of a single document that repeat an earlier one.
  private(set) var repeatedCount = 0
  /// The key of the last offer that the store has.
  private(set) var lastKnownKey: Int64?
  /// The key of the first offer, if the store has it.
  private(set) var firstKey: Int64?
  /// Hashes of the new ids of a window, to count each once; nil for another feed.
  private var newIDs: Set<Int>?
  /// The ids on the current page; nil for a feed of one document. An offer may be repeated on a
  /// later page, but not on the same one.
  private var pageIDs: Set<[UInt8]>?
  /// The ids that a search found, in order, one array per page; empty if this is no search.
  private(set) var foundPages: [[String]]
  private let isSearch: Bool
  private var isSecond = false

  /// - Parameters:
  ///   - derivationSeed: the seed of the content hashes; see `FeedDefinition.derivationSeed`.
  ///   - hasPages: whether there may be more than one document.
  ///   - isSearch: whether to collect `foundPages`.
  init(
    definition: FeedDefinition, derivationSeed: UInt64, folder: String, hasPages: Bool,
    isSearch: Bool
  ) {
    self.isSearch = isSearch
    foundPages = isSearch ? [[]] : []
    if hasPages { pageIDs = [] }
    if definition.isWindow { newIDs = [] }
    newRecords = RecordSpool(folder: folder)
    knownRecords = RecordSpool(folder: folder)
    rewards = RewardParser(
      feedCurrency: definition.currency, role: definition.presentation.valueRole)
    seed = derivationSeed
  }

  /// Begins the comparison with the stored offers. Must be called before the first record.
  func begin(comparingWith known: KnownOffers) { self.known = known }

  /// Begins a second reading of the pages, of which only offers count that the first one did not see.
  func beginAgain() {
    beginPage(behind: firstPageRecords ?? 0)
    isSecond = true
  }

  func accept(_ offer: OfferRecord, position: Int) throws {
    guard let id = offer[.id] else { return }
    if !isSecond { offerCount += 1 }
    if offer.isTimed { isTimed = true }
    if look.offerCount < FeedTraits.offerLimit { addLook(of: offer) }
    if isSearch { foundPages[foundPages.count - 1].append(id) }
    if pageIDs?.insert(Array(id.utf8)).inserted == false { return skipRepeated(id, position) }
    var offer = offer
    offer.contentHash = offer.makeContentHash(seed: seed)
    switch known.see(id: id, contentHash: offer.contentHash) {
    case .unchanged(let key):
      noteKnown(key)
      unchangedCount += 1
      return
    case .repeated:
      // Pages shift while they are read, so an offer repeated on a later page is no problem of the
      // feed. In a single document it is.
      if firstPageRecords == nil {
        repeatedCount += 1
        skipRepeated(id, position)
      }
      return
    case .new:
      if newIDs?.insert(id.hashValue).inserted == false { repeatedCount += 1 }
      noteLink(of: offer, id)
    case .different(let key):
      noteKnown(key)
      offer.offerKey = key
    }
    offer.position = earlierRecords + position
    offer.reward = rewards.findReward(of: offer)
    try (offer.offerKey == 0 ? newRecords : knownRecords).append(offer)
  }

  private func noteKnown(_ key: Int64) {
    if offerCount == 1 { firstKey = key }
    lastKnownKey = key
  }

  private func noteLink(of offer: OfferRecord, _ id: String) {
    guard known.currentCount > 0, linkedOffers.count <= RenamedOfferMatcher.limit,
      let url = offer[.url],
      let name = offer[.name]
    else { return }
    linkedOffers.append(RenameCandidate(id: id, url: url.utf8, name: name.utf8))
  }

  private func addLook(of offer: OfferRecord) {
    look.addOffer(
      url: offer[.url], hasDescription: offer[.description] != nil, hasTerms: offer[.terms] != nil,
      hasReward: offer[.reward] != nil, hasImage: offer[.imageURL] != nil)
  }

  private func skipRepeated(_ id: String, _ position: Int) {
    let shown = String(decoding: id.utf8.prefix(60), as: UTF8.self)
    skip(id: nil, position: position, reason: ReadProblem.repeated(shown))
  }

  /// The counts of a failed sync: skipped records only.
  var skipped: SyncCounts {
    var counts = SyncCounts()
    counts.skipped = skippedCount
    return counts
  }

  /// The counts that are known before the difference is written: of unchanged offers and skipped
  /// records.
  var counts: SyncCounts {
    var counts = SyncCounts()
    counts.unchanged = unchangedCount
    counts.skipped = skippedCount
    return counts
  }

  /// Begins the next page.
  ///
  /// - Parameter records: the number of records on all pages before it.
  func beginPage(behind records: Int) {
    if firstPageRecords == nil { firstPageRecords = records }
    earlierRecords = records
    if pageIDs != nil { pageIDs = [] }
    if isSearch { foundPages.append([]) }
  }

  /// Must be called after the last record of the feed, so that offers whose records were all
  /// invalid do not count as vanished.
  func finish() { known.settleBroken() }

  func skip(id: String?, position: Int, reason: String) {
    // Only the record is invalid: the offer is still in the feed and has not vanished.
    if let id { known.seeBroken(id: id) }
    if isSecond { return }
    skippedCount += 1
    note(ReadProblem(position: earlierRecords + position, effect: .skipped, reason: reason))
  }

  func mend(position: Int, reason: String) {
    if isSecond { return }
    mendedCount += 1
    note(
      ReadProblem(
        position: position == 0 ? 0 : earlierRecords + position, effect: .mended, reason: reason))
  }

  private func note(_ problem: ReadProblem) {
    if problems.count < SyncRun.problemLimit { problems.append(problem) }
  }
}

/// Collects records until the whole feed has been read, so that the store is written in one short
/// transaction that waits for no input. Each time a buffer is full, its records go to an unlinked
/// file, which disappears with the process.
final class RecordSpool {
  private let folder: String
  /// The last records, encoded.
  private var buffer: [UInt8] = []
  private var file: SpoolFile?
  private var count = 0

  /// The size of the buffer above which its records go to the file.
  fileprivate static let bufferBytes = 1 << 20

  init(folder: String) {
    self.folder = folder
  }

  func append(_ record: OfferRecord) throws {
    record.encode(to: &buffer)
    count += 1
    if buffer.count < Self.bufferBytes { return }
    let target = try file ?? SpoolFile(folder: folder)
    file = target
    try buffer.withUnsafeBytes { try target.append($0) }
    buffer.removeAll(keepingCapacity: buffer.count < 2 * Self.bufferBytes)
  }

  /// The collected records, for another thread to read. Nothing may be appended after this.
  func finish() -> SpooledRecords { SpooledRecords(file: file, rest: buffer, count: count) }
}

/// Immutable records: a file's records first, then those in memory.
struct SpooledRecords: OfferRecordSource {
  let file: SpoolFile?
  /// The encoded records in memory.
  let rest: [UInt8]
  /// The number of all records.
  let count: Int

  static let none = SpooledRecords(file: nil, rest: [], count: 0)

  func makeReader() -> any OfferRecordReader { Reader(self) }

  private final class Reader: OfferRecordReader {
    private let records: SpooledRecords
    /// The bytes that were read last, which may end within a record.
    private var bytes: [UInt8] = []
    /// The index of the next record in `bytes`.
    private var place = 0
    /// The offset of the next bytes in the file.
    private var offset = 0
    private var isAtRest = false
    private var foundCount = 0

    init(_ records: SpooledRecords) { self.records = records }

    func next() throws -> OfferRecord? {
      while true {
        if let record = OfferRecord(decoding: bytes, at: &place) {
          foundCount += 1
          return record
        }
        if try readOn() { continue }
        // A file that lost its end must not pass for a shorter list.
        guard foundCount == records.count else {
          throw OffersError(
            .storageFailed, "A temporary file is incomplete.", hint: "Nothing was changed.")
        }
        return nil
      }
    }

    /// Reads the next bytes: of the file, and at last those in memory. Returns false if there are none.
    private func readOn() throws -> Bool {
      bytes.removeFirst(place)
      place = 0
      if let file = records.file {
        let piece = try [UInt8](unsafeUninitializedCapacity: RecordSpool.bufferBytes) {
          room, count in
          count = try file.read(UnsafeMutableRawBufferPointer(room), at: offset)
        }
        offset += piece.count
        bytes += piece
        if !piece.isEmpty { return true }
      }
      if isAtRest { return false }
      isAtRest = true
      bytes = records.rest
      return !bytes.isEmpty
    }
  }
}
