import OffersCore
import OffersFeeds

/// Compares what a reader finds with what the store holds, and keeps only what differs.
final class DifferenceCollector: OfferSink {
  private(set) var known: KnownOffers
  /// What differs: offers that the store has not got, and those that it has.
  let newRecords: RecordSpool
  let knownRecords: RecordSpool
  private var rewards: RewardMemo
  /// Nil where records are not to be remembered.
  let recordSeed: UInt64?
  private var finder: RecordFinder
  private var draft: RecordMemoryDraft?
  private var rewrittenCount = 0
  /// Records before the first difference that are written in another way than is remembered.
  private var outdatedCount = 0
  private static let rewrittenLimit = 1 << 18
  private let seed: UInt64
  /// How many parts of the draft come before the first difference; nil as long as there is none.
  private var leadingCount: Int?
  private var hasDifferences: Bool { leadingCount != nil }
  private(set) var unchangedCount = 0
  private(set) var skippedCount = 0
  private(set) var mendedCount = 0
  /// Records found to be offers, repeated ones included.
  private(set) var offerCount = 0
  private(set) var problems: [ReadProblem] = []
  /// How many records the first page has; nil as long as there is only one.
  private(set) var firstPageRecords: Int?
  private var earlierRecords = 0
  /// The ids of this page, for a feed that has pages: an offer may come again on the next one, but
  /// not on the same.
  private var pageIDs: Set<[UInt8]>?
  /// The ids of all offers in their order, a page each, of a search.
  private(set) var foundPages: [[String]]
  private let isSearch: Bool

  /// - Parameters:
  ///   - memory: what the records of the feed's last document were; nil where they are not to be
  ///     remembered.
  ///   - folder: where to put what is too much for the memory.
  ///   - intake: takes new offers while the document is read; nil where they wait for its end.
  ///   - hasPages: whether there may be more than one document.
  ///   - isSearch: whether to note what was found.
  init(
    known: KnownOffers, memory: [RememberedRecord]?, definition: FeedDefinition,
    derivationSeed: UInt64, folder: String, intake: (any OfferIntake)? = nil,
    hasPages: Bool = false, isSearch: Bool = false
  ) {
    self.isSearch = isSearch
    foundPages = isSearch ? [[]] : []
    if hasPages { pageIDs = [] }
    self.known = known
    if let memory { self.known.recall(memory) }
    let recordSeed = Self.recordSeed(derivationSeed)
    self.recordSeed = memory == nil ? nil : recordSeed
    finder = RecordFinder(memory ?? [], seed: recordSeed)
    draft = memory.map(RecordMemoryDraft.init)
    newRecords = RecordSpool(folder: folder, intake: intake)
    knownRecords = RecordSpool(folder: folder)
    rewards = RewardMemo(
      RewardParser(currency: definition.currency, bareCurrency: definition.currency))
    seed = derivationSeed
  }

  /// The document's records, for whoever writes something else, too; nil when what is remembered may
  /// stay: an offer that is unchanged is known by it or read.
  ///
  /// - Parameter isWriting: whether there is more to be written than what was collected.
  func memory(isWriting: Bool) -> RecordMemoryDraft? {
    guard var draft else { return nil }
    if isWriting || hasDifferences, !RecordMemoryDraft.isFew(outdatedCount, of: offerCount) {
      // Forgotten, they are read the next time, and remembered as they are now.
      draft.removeFirst(leadingCount ?? draft.count)
      return draft
    }
    guard draft.isWorthWriting else { return nil }
    return isWriting || hasDifferences || draft.old.isEmpty ? draft : nil
  }

  func recognize(_ bytes: UnsafeRawBufferPointer) -> Int? {
    guard let number = finder.find(bytes), let record = see(number) else { return nil }
    draft?.append(old: number)
    return Int(record.byteCount)
  }

  func recognize(_ record: ReadRecord) -> Bool {
    guard let number = finder.find(valueHash: record.valueHash), let old = see(number) else {
      return false
    }
    // Its bytes are others now, which matters where there will be something to write. Of a very large
    // document that was written anew so many are remembered each time.
    if hasDifferences, rewrittenCount < Self.rewrittenLimit {
      rewrittenCount += 1
      draft?.append(remembered(record, old.contentMark).with(key: Int64(old.key)))
    } else {
      draft?.append(old: number)
      if !hasDifferences { outdatedCount += 1 }
    }
    return true
  }

  /// Counts a remembered record's offer as unchanged, where it is; nil where the record has to be read.
  private func see(_ number: Int) -> RememberedRecord? {
    let record = finder.records[number]
    guard known.see(recalled: number, key: record.key) else { return nil }
    offerCount += 1
    unchangedCount += 1
    return record
  }

  /// What a record is remembered by, without its offer's key.
  private func remembered(_ record: ReadRecord?, _ contentMark: UInt32) -> RememberedRecord {
    guard let record, let recordSeed else { return .none }
    return RememberedRecord(of: record, seed: recordSeed, contentMark: contentMark)
  }

  func accept(_ texts: OfferTexts, position: Int) throws {
    guard let id = texts.id else { return }
    offerCount += 1
    if isSearch { foundPages[foundPages.count - 1].append(String(decoding: id, as: UTF8.self)) }
    if pageIDs?.insert(Array(id)).inserted == false { return skipRepeated(id, position) }
    let hash = texts.contentHash(seed: seed)
    let record = remembered(texts.record, UInt32(truncatingIfNeeded: hash))
    let key: Int64
    switch known.see(id: id, contentHash: hash) {
    case .unchanged(let stored):
      unchangedCount += 1
      remember(record, of: stored)
      return
    case .repeated:
      // Pages shift while they are read: an offer that comes again on the next one is one offer.
      if firstPageRecords == nil { skipRepeated(id, position) }
      return
    case .new:
      key = 0
      noteDifference()
      draft?.appendNew()
    case .different(let stored):
      key = stored
      noteDifference()
      remember(record, of: stored)
    }
    var reward = ExactReward()
    if let text = texts.reward { reward = rewards.parse(text) }
    let byteCount = OfferRecord.byteCount(of: texts)
    let address = try room(byteCount, inNew: key == 0)
    OfferRecord.write(
      texts, position: earlierRecords + position, contentHash: hash, offerKey: key,
      reward: reward, memory: record, byteCount: byteCount, to: address)
  }

  /// Room for a record that the store has not got, or has got.
  @inline(__always)
  private func room(_ byteCount: Int, inNew isNew: Bool) throws -> UnsafeMutableRawPointer {
    isNew
      ? try newRecords.append(byteCount: byteCount) : try knownRecords.append(byteCount: byteCount)
  }

  private func noteDifference() {
    if leadingCount == nil { leadingCount = draft?.count ?? 0 }
  }

  private func remember(_ record: RememberedRecord, of key: Int64) {
    draft?.append(record.with(key: key))
    finder.pass(key: key)
  }

  /// Another version of the program may read the same record otherwise.
  private static func recordSeed(_ derivationSeed: UInt64) -> UInt64 {
    var hash = ContentHash(seed: derivationSeed)
    var version = Version.current
    version.withUTF8 { hash.combine(UnsafeRawBufferPointer($0)) }
    hash.combine(RememberedRecord.hashVersion)
    return hash.value
  }

  private func skipRepeated(_ id: UnsafeRawBufferPointer, _ position: Int) {
    skip(
      id: nil, position: position,
      reason: ReadProblem.repeated(String(decoding: id.prefix(60), as: UTF8.self)))
  }

  /// What a sync that failed can tell.
  var skipped: SyncCounts {
    var counts = SyncCounts()
    counts.skipped = skippedCount
    return counts
  }

  /// What is known before the difference is written.
  var counts: SyncCounts {
    var counts = SyncCounts()
    counts.unchanged = unchangedCount
    counts.skipped = skippedCount
    return counts
  }

  /// Says that another page begins, behind so many records.
  func beginPage(behind records: Int) {
    if firstPageRecords == nil { firstPageRecords = records }
    earlierRecords = records
    if pageIDs != nil { pageIDs = [] }
    if isSearch { foundPages.append([]) }
  }

  /// Says that the whole feed was read.
  func finish() { known.settleBroken() }

  func skip(id: UnsafeRawBufferPointer?, position: Int, reason: String) {
    // The offer is still in the feed, only its record is broken: it has not vanished.
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
