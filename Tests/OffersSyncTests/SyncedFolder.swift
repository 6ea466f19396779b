import Foundation
import OffersCore
import OffersHTTP
import OffersSQLite
import OffersStore
import OffersSync
import OffersTestSupport
import TestStores

/// A test's own database, and helpers to sync it from files.
struct SyncedFolder {
  let folder: TemporaryFolder
  let database: OffersDatabase

  init() async throws {
    folder = try TemporaryFolder()
    database = try await OffersDatabase.openNew(in: folder)
  }

  /// An independent copy of the database.
  init(copying other: SyncedFolder) async throws {
    folder = try TemporaryFolder()
    let path = folder.file("offers.sqlite")
    // A write checkpoints the log, so that the file alone is complete.
    try FileManager.default.copyItem(atPath: other.database.place, toPath: path)
    database = try await OffersDatabase.open(path: path)
  }

  /// Syncs from a text, after writing it to a file.
  @discardableResult
  func sync(
    _ text: String, acceptsRemovals: Bool = false, at seconds: TimeInterval = 1_000,
    lockWaitSeconds: Double = 5
  ) async throws -> SyncRun {
    try await sync(
      from: try folder.write(text, to: "feed.json"), acceptsRemovals: acceptsRemovals, at: seconds,
      lockWaitSeconds: lockWaitSeconds)
  }

  /// Syncs from a source; nil for the remembered one.
  @discardableResult
  func sync(
    from source: String?, acceptsRemovals: Bool = false, at seconds: TimeInterval = 1_000,
    limits: FetchLimits = FetchLimits(), lockWaitSeconds: Double = 5,
    allowsPrivateNetwork: Bool = false, environment: [String: String] = [:]
  ) async throws -> SyncRun {
    let engine = SyncEngine(
      store: database, environment: { environment[$0] },
      now: { Date(timeIntervalSince1970: seconds) })
    return try await engine.run(
      "ibotta",
      options: SyncOptions(
        source: source.map { SyncSource(typed: $0) }, acceptsRemovals: acceptsRemovals,
        lockWaitSeconds: lockWaitSeconds, limits: limits,
        allowsPrivateNetwork: allowsPrivateNetwork))
  }

  /// The ids of the feed's current offers, in order.
  func ids() async throws -> [String] {
    try await database.fetchOffers(OfferQuery()).map(\.ref.offerID)
  }

  /// The feed as `offers status` reports it.
  func feed() async throws -> Feed {
    let feeds = try await database.fetchFeeds()
    guard let feed = feeds.first else { throw OffersError(.notFound, "no feed") }
    return feed
  }
}

/// Builds documents of feeds.
enum FeedText {
  /// One record.
  static func record(_ id: Int, name: String = "Tea", reward: String = "$1.00 Cash Back") -> String
  {
    #"{"id":"\#(id)","name":"\#(name) \#(id)","current_value":"\#(reward)"}"#
  }

  /// A feed of the records with these ids.
  static func feed(_ ids: some Sequence<Int>) -> String {
    list(ids.map { record($0) })
  }

  /// `feed([1])` as gzip, by Python's module.
  static let compressed: [UInt8] = [
    31, 139, 8, 0, 0, 0, 0, 0, 2, 3, 139, 174, 86, 202, 76, 81, 178, 82, 50, 84, 210, 81, 202, 75,
    204, 77, 5, 50, 67, 82, 19, 21, 64, 220, 228, 210, 162, 162, 212, 188, 146, 248, 178, 196, 156,
    82, 144, 184, 138, 161, 158, 129, 129, 130, 115, 98, 113, 134, 130, 83, 98, 114, 182, 82, 109,
    44, 0, 110, 3, 188, 36, 61, 0, 0, 0,
  ]

  static func list(_ records: [String]) -> String { "[\(records.joined(separator: ","))]" }
}

extension SyncCounts {
  /// The counts in the order new, changed, gone, back, unchanged, skipped.
  var all: [Int] { [new, changed, gone, back, unchanged, skipped] }
}
