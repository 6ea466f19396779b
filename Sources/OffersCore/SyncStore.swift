import Foundation

/// The engine's side of a store: what a sync needs to know, and the one write it makes.
public protocol SyncStore: Sendable {
  /// Runs `body` while no other sync of this feed can run, in any process.
  ///
  /// - Throws: `OffersError` with `locked` when the lock is still held after `waitSeconds`. A lock
  ///   that a dead process held is free.
  func withSyncLock<Result: Sendable>(
    on feed: String, waitSeconds: Double, _ body: @Sendable () async throws -> Result
  ) async throws -> Result

  /// The names of the feeds that a sync of everything means, sorted.
  func fetchSubscribedFeeds() async throws -> [String]

  /// Where the feed was read from last, and what of; nil when it is not subscribed.
  func findSyncState(of feed: String) async throws -> SyncState?

  /// What the store holds of the feed, to compare with. Empty for an unknown feed.
  func fetchKnownOffers(of feed: String) async throws -> KnownOffers

  /// How many offers the feed had when it was last synced.
  func countCurrentOffers(of feed: String) async throws -> Int

  /// Applies a difference and records the run in one transaction: all of it or nothing.
  ///
  /// - Returns: the run as recorded, its counts completed by what only the store can tell (new
  ///   against repeated ids, changed against merely re-written ones).
  func apply(_ plan: SyncPlan) async throws -> SyncRun

  /// Records a run that changes no offer.
  ///
  /// - Parameter remember: the source to use from now on, nil to leave it.
  func record(_ run: SyncRun, remember source: String?) async throws

  /// A folder on the same disk as the store, for work that does not fit in memory.
  var scratchFolder: String { get }
}

/// What the last successful sync of a feed left behind.
public struct SyncState: Hashable, Sendable {
  /// An http(s) URL, an absolute path, or `sample`.
  public let source: String
  /// The SHA-256 of the document that the stored offers are, if they are exactly one.
  public let documentHash: [UInt8]?
  /// The size of that document in bytes.
  public let documentBytes: Int?

  public init(source: String, documentHash: [UInt8]?, documentBytes: Int?) {
    self.source = source
    self.documentHash = documentHash
    self.documentBytes = documentBytes
  }
}

/// Offers waiting to be written, in feed order.
public protocol OfferRecordSource: Sendable {
  /// Hands over each record. It can be called again and gives the same.
  func forEach(_ body: (OfferRecord) throws -> Void) throws
}

/// The difference between a feed and what the store holds of it, ready to be written.
public struct SyncPlan: Sendable {
  /// The run so far: its counts hold what was unchanged and skipped.
  public let run: SyncRun
  /// New offers, and those whose content hash differs or that are back.
  public let records: any OfferRecordSource
  /// Keys of the offers that the feed no longer has, ascending.
  public let vanishedKeys: [Int64]
  /// The source to use from now on; nil to leave it.
  public let rememberedSource: String?
  /// The document's SHA-256, to know it again; nil when the store will not be exactly it.
  public let documentHash: [UInt8]?

  public init(
    run: SyncRun, records: any OfferRecordSource, vanishedKeys: [Int64],
    rememberedSource: String?, documentHash: [UInt8]?
  ) {
    self.run = run
    self.records = records
    self.vanishedKeys = vanishedKeys
    self.rememberedSource = rememberedSource
    self.documentHash = documentHash
  }
}
