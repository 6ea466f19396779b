import Foundation
import OffersCore
import OffersHTTP
import OffersSQLite
import OffersSync
import Synchronization

/// A store that passes everything on to a database, and notes what was asked of it.
final class RecordingStore: SyncStore {
  /// What the engine can ask.
  enum Call: Hashable, Sendable {
    case lock, unlock, feeds, state, known, apply, record, clear
  }

  /// What a plan handed over to be written.
  struct Written: Hashable, Sendable {
    /// Ids of offers that the store has not got.
    var new: [String] = []
    /// Ids of offers that stand for a row of the store.
    var known: [String] = []
    var vanishedCount = 0
    var hasDocument = false
    var rememberedSource: ChosenSource?
  }

  let database: OffersDatabase
  private let failures: [Call: any Error]
  private let noted = Mutex<(calls: [Call], written: Written?, recorded: SyncRun?)>(([], nil, nil))

  /// - Parameter failures: what is thrown instead of passing a call on.
  init(_ database: OffersDatabase, failures: [Call: any Error] = [:]) {
    self.database = database
    self.failures = failures
  }

  /// The calls so far, in order.
  var calls: [Call] { noted.withLock { $0.calls } }
  /// What the last plan handed over.
  var written: Written? { noted.withLock { $0.written } }
  /// The last run that was to be recorded without an offer.
  var recorded: SyncRun? { noted.withLock { $0.recorded } }

  private func note(_ call: Call) throws {
    noted.withLock { $0.calls.append(call) }
    if let failure = failures[call] { throw failure }
  }

  var scratchFolder: String { database.scratchFolder }

  func withSyncLock<Result: Sendable>(
    on feed: String, waitSeconds: Double, _ body: @Sendable () async throws -> Result
  ) async throws -> Result {
    try note(.lock)
    let result = try await database.withSyncLock(on: feed, waitSeconds: waitSeconds, body)
    try note(.unlock)
    return result
  }

  func fetchSubscribedFeeds() async throws -> [String] {
    try note(.feeds)
    return try await database.fetchSubscribedFeeds()
  }

  func findSyncState(of feed: String) async throws -> SyncState? {
    try note(.state)
    return try await database.findSyncState(of: feed)
  }

  func fetchKnownOffers(of feed: String) async throws -> KnownOffers {
    try note(.known)
    return try await database.fetchKnownOffers(of: feed)
  }

  func fetchMissingOffers(of feed: String) async throws -> [MissingOffer] {
    try await database.fetchMissingOffers(of: feed)
  }

  func fetchLook(of feed: String) async throws -> FeedTraits {
    try await database.fetchLook(of: feed)
  }

  func renameOffers(
    of feed: String, as newOffers: [RenameCandidate], missingKeys: [Int64]
  ) async throws -> Int {
    try await database.renameOffers(of: feed, as: newOffers, missingKeys: missingKeys)
  }

  func apply(_ plan: SyncPlan) async throws -> SyncRun {
    var written = Written()
    written.new = try Self.ids(plan.newRecords)
    written.known = try Self.ids(plan.knownRecords)
    written.vanishedCount = plan.vanishedKeys.count
    written.hasDocument = plan.document != nil
    written.rememberedSource = plan.rememberedSource
    noted.withLock { [written] in $0.written = written }
    try note(.apply)
    return try await database.apply(plan)
  }

  /// Syncs the ibotta feed from a text, written to a file first.
  func sync(
    _ text: String, in home: SyncedFolder, acceptsRemovals: Bool = false, at seconds: Int = 2_000
  ) async throws -> SyncRun {
    let path = try home.folder.write(text, to: "feed.json")
    let engine = SyncEngine(
      store: self, now: { Date(timeIntervalSince1970: Double(seconds)) })
    return try await engine.run(
      "ibotta", options: SyncOptions(source: .file(path), acceptsRemovals: acceptsRemovals))
  }

  private static func ids(_ records: any OfferRecordSource) throws -> [String] {
    var ids: [String] = []
    try records.forEachRecord { ids.append($0.id) }
    return ids
  }

  func clearAway(at now: Date) async throws {
    try note(.clear)
    try await database.clearAway(at: now)
  }

  func preview(_ plan: SyncPlan) async throws -> (run: SyncRun, changes: [OfferChange]) {
    try await database.preview(plan)
  }

  func record(
    _ run: SyncRun, remember source: ChosenSource?, fetch: FetchState?,
    presentation: FeedPresentation?
  ) async throws {
    noted.withLock { $0.recorded = run }
    try note(.record)
    try await database.record(run, remember: source, fetch: fetch, presentation: presentation)
  }
}
