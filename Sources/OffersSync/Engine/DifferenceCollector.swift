import OffersCore
import OffersFeeds

/// Compares what a reader finds with what the store holds, and keeps only what differs.
final class DifferenceCollector: OfferSink {
  private(set) var known: KnownOffers
  /// What differs: offers that the store has not got, and those that it has.
  let newRecords: RecordSpool
  let knownRecords: RecordSpool
  private var rewards: RewardMemo
  private let seed: UInt64
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
  ///   - folder: where to put what is too much for the memory.
  ///   - hasPages: whether there may be more than one document.
  ///   - isSearch: whether to note what was found.
  init(
    known: KnownOffers, definition: FeedDefinition, derivationSeed: UInt64, folder: String,
    hasPages: Bool = false, isSearch: Bool = false
  ) {
    self.isSearch = isSearch
    foundPages = isSearch ? [[]] : []
    if hasPages { pageIDs = [] }
    self.known = known
    newRecords = RecordSpool(folder: folder)
    knownRecords = RecordSpool(folder: folder)
    rewards = RewardMemo(
      RewardParser(currency: definition.currency, bareCurrency: definition.currency))
    seed = derivationSeed
  }

  func accept(_ texts: OfferTexts, position: Int) throws {
    guard let id = texts.id else { return }
    offerCount += 1
    if isSearch { foundPages[foundPages.count - 1].append(String(decoding: id, as: UTF8.self)) }
    if pageIDs?.insert(Array(id)).inserted == false { return skipRepeated(id, position) }
    let hash = texts.contentHash(seed: seed)
    let key: Int64
    switch known.see(id: id, contentHash: hash) {
    case .unchanged:
      unchangedCount += 1
      return
    case .repeated:
      // Pages shift while they are read: an offer that comes again on the next one is one offer.
      if firstPageRecords == nil { skipRepeated(id, position) }
      return
    case .new: key = 0
    case .different(let stored): key = stored
    }
    var reward = ExactReward()
    if let text = texts.reward { reward = rewards.parse(text) }
    let byteCount = OfferRecord.byteCount(of: texts)
    let address = try room(byteCount, inNew: key == 0)
    OfferRecord.write(
      texts, position: earlierRecords + position, contentHash: hash, offerKey: key,
      reward: reward, byteCount: byteCount, to: address)
  }

  /// Room for a record that the store has not got, or has got.
  @inline(__always)
  private func room(_ byteCount: Int, inNew isNew: Bool) throws -> UnsafeMutableRawPointer {
    isNew
      ? try newRecords.append(byteCount: byteCount) : try knownRecords.append(byteCount: byteCount)
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
