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
  /// Whether the same document may give other offers later; see `OfferTexts.isTimed`.
  private(set) var isTimed = false
  /// The number of valid records, repeated ones included.
  private(set) var offerCount = 0
  /// The look of the first offers.
  private(set) var look = FeedTraits()
  /// The new offers with a link, at most one more than `OfferRenaming` compares; none for the first
  /// document of a feed.
  private(set) var linkedOffers: [RenameCandidate] = []
  private(set) var problems: [ReadProblem] = []
  /// The number of records on the first page; nil while there is only one page.
  private(set) var firstPageRecords: Int?
  private var earlierRecords = 0
  /// The ids on the current page; nil for a feed of one document. An offer may be repeated on a
  /// later page, but not on the same one.
  private var pageIDs: Set<[UInt8]>?
  /// The ids that a search found, in order, one array per page; empty if this is no search.
  private(set) var foundPages: [[String]]
  private let isSearch: Bool

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
    newRecords = RecordSpool(folder: folder)
    knownRecords = RecordSpool(folder: folder)
    rewards = RewardParser(feedCurrency: definition.currency)
    seed = derivationSeed
  }

  /// Begins the comparison with the stored offers. Must be called before the first record.
  func begin(comparingWith known: KnownOffers) { self.known = known }

  func accept(_ texts: OfferTexts, position: Int) throws {
    guard let id = texts[.id] else { return }
    offerCount += 1
    if texts.isTimed { isTimed = true }
    if look.offerCount < FeedTraits.offerLimit { addLook(of: texts) }
    if isSearch { foundPages[foundPages.count - 1].append(id) }
    if pageIDs?.insert(Array(id.utf8)).inserted == false { return skipRepeated(id, position) }
    let hash = texts.contentHash(seed: seed)
    let key: Int64
    switch known.see(id: id, contentHash: hash) {
    case .unchanged:
      unchangedCount += 1
      return
    case .repeated:
      // Pages shift while they are read, so an offer repeated on a later page is no problem of the
      // feed. In a single document it is.
      if firstPageRecords == nil { skipRepeated(id, position) }
      return
    case .new:
      key = 0
      noteLink(of: texts, id)
    case .different(let stored): key = stored
    }
    var reward = ExactReward()
    if let text = texts[.reward] {
      reward = rewards.parse(
        text, currency: texts.rewardCurrency, isNumber: texts.isRewardNumber)
    }
    let byteCount = OfferRecord.byteCount(of: texts)
    let address = try room(byteCount, inNew: key == 0)
    OfferRecord.write(
      texts, position: earlierRecords + position, contentHash: hash, offerKey: key,
      reward: reward, byteCount: byteCount, to: address)
  }

  private func noteLink(of texts: OfferTexts, _ id: String) {
    guard known.currentCount > 0, linkedOffers.count <= OfferRenaming.limit, let url = texts[.url],
      let name = texts[.name]
    else { return }
    linkedOffers.append(RenameCandidate(id: id, url: url.utf8, name: name.utf8))
  }

  private func addLook(of texts: OfferTexts) {
    look.addOffer(
      url: texts[.url], hasDescription: texts[.description] != nil, hasTerms: texts[.terms] != nil,
      hasReward: texts[.reward] != nil, hasImage: texts[.imageURL] != nil)
  }

  /// Allocates a record in `newRecords` or `knownRecords`.
  @inline(__always)
  private func room(_ byteCount: Int, inNew isNew: Bool) throws -> UnsafeMutableRawPointer {
    isNew
      ? try newRecords.append(byteCount: byteCount) : try knownRecords.append(byteCount: byteCount)
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
    skippedCount += 1
    note(ReadProblem(position: earlierRecords + position, effect: .skipped, reason: reason))
  }

  func mend(position: Int, reason: String) {
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
  /// The last records, one after another, in the first `bufferedBytes` of the buffer.
  private var buffer = SpoolBuffer(byteCount: 0)
  private var bufferedBytes = 0
  private var file: SpoolFile?

  /// The size of the buffer; a larger record gets a buffer of its own size.
  fileprivate static let bufferBytes = 1 << 20

  init(folder: String) {
    self.folder = folder
  }

  /// Allocates a record of `byteCount` bytes and returns its address, a multiple of 8. The caller
  /// writes the record before it adds the next one.
  func append(byteCount: Int) throws -> UnsafeMutableRawPointer {
    if bufferedBytes + byteCount > buffer.byteCount { try makeRoom(byteCount) }
    defer { bufferedBytes += byteCount }
    return buffer.start + bufferedBytes
  }

  /// The collected records, for another thread to read. Nothing may be appended after this.
  func finish() -> SpooledRecords {
    SpooledRecords(file: file, buffer: buffer, bufferedBytes: bufferedBytes)
  }

  private func makeRoom(_ byteCount: Int) throws {
    if bufferedBytes > 0 {
      let target = try file ?? SpoolFile(folder: folder)
      file = target
      try target.append(UnsafeRawBufferPointer(start: buffer.start, count: bufferedBytes))
      bufferedBytes = 0
    }
    if byteCount > buffer.byteCount {
      buffer = SpoolBuffer(byteCount: max(byteCount, Self.bufferBytes))
    }
  }
}

/// Immutable records: a file's records first, then those in memory.
struct SpooledRecords: OfferRecordSource {
  fileprivate let file: SpoolFile?
  fileprivate let buffer: SpoolBuffer
  fileprivate let bufferedBytes: Int

  static let none = SpooledRecords(
    file: nil, buffer: SpoolBuffer(byteCount: 0), bufferedBytes: 0)

  func makeReader() -> any OfferRecordReader { Reader(self) }

  private final class Reader: OfferRecordReader {
    private let records: SpooledRecords
    /// The chunk of the file that was read last.
    private var fileBuffer = SpoolBuffer(byteCount: 0)
    /// The offset of the next chunk in the file.
    private var offset = 0
    private var isAtBuffer = false
    /// The next record in the loaded chunk; nil before the first chunk.
    private var place: UnsafeRawPointer?
    /// The end of the last whole record in the loaded chunk.
    private var end: UnsafeRawPointer?

    init(_ records: SpooledRecords) { self.records = records }

    func next() throws -> OfferRecord? {
      if place == end, try !readOn() { return nil }
      guard let start = place else { return nil }
      let record = OfferRecord(at: start)
      place = start + record.byteCount
      return record
    }

    /// Loads the next chunk: from the file and at last the buffer. Returns false if there is none.
    private func readOn() throws -> Bool {
      if let file = records.file, try readWholeRecords(of: file) { return true }
      if isAtBuffer || records.bufferedBytes == 0 { return false }
      isAtBuffer = true
      go(through: records.buffer, records.bufferedBytes)
      return true
    }

    private func readWholeRecords(of file: SpoolFile) throws -> Bool {
      if fileBuffer.byteCount == 0 { fileBuffer = SpoolBuffer(byteCount: RecordSpool.bufferBytes) }
      while true {
        let bytes = UnsafeMutableRawBufferPointer(
          start: fileBuffer.start, count: fileBuffer.byteCount)
        let count = try file.read(bytes, at: offset)
        let whole = Self.endOfWholeRecords(in: UnsafeRawBufferPointer(rebasing: bytes[..<count]))
        if whole > 0 || count < bytes.count {
          offset += whole
          go(through: fileBuffer, whole)
          return whole > 0
        }
        // A record is larger than the buffer, which grows until it holds the record.
        fileBuffer = SpoolBuffer(byteCount: 2 * count)
      }
    }

    private func go(through buffer: SpoolBuffer, _ byteCount: Int) {
      place = UnsafeRawPointer(buffer.start)
      end = place.map { $0 + byteCount }
    }

    private static func endOfWholeRecords(in bytes: UnsafeRawBufferPointer) -> Int {
      var end = 0
      guard let base = bytes.baseAddress else { return end }
      while bytes.count - end >= 8 {
        let next = end + OfferRecord(at: base + end).byteCount
        if next > bytes.count { break }
        end = next
      }
      return end
    }
  }
}

/// Memory at a fixed address, for one thread to fill and another one to read afterwards.
private final class SpoolBuffer: Sendable {
  /// The address as an integer, because pointers are not Sendable.
  private let address: UInt
  let byteCount: Int

  init(byteCount: Int) {
    address = UInt(bitPattern: UnsafeMutableRawPointer.allocate(byteCount: byteCount, alignment: 8))
    self.byteCount = byteCount
  }

  deinit { start.deallocate() }

  var start: UnsafeMutableRawPointer {
    // The address was made from a pointer, so it is not null.
    UnsafeMutableRawPointer(bitPattern: address).unsafelyUnwrapped
  }
}
