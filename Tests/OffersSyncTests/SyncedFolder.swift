import Foundation
import OffersCore
import OffersSQLite
import OffersSync
import OffersTestSupport

/// A database of a test's own, and feeds to sync it with.
struct SyncedFolder {
  let folder: TemporaryFolder
  let database: OffersDatabase

  init() throws {
    folder = try TemporaryFolder()
    database = try OffersDatabase(path: folder.file("offers.sqlite"))
  }

  /// A database with the same in it, that goes its own way.
  init(copying other: SyncedFolder) throws {
    folder = try TemporaryFolder()
    let path = folder.file("offers.sqlite")
    // After a write all stands in the file and nothing in its log.
    try FileManager.default.copyItem(atPath: other.database.path, toPath: path)
    database = try OffersDatabase(path: path)
  }

  /// Syncs from a text, written to a file first.
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
    return try await engine.sync(
      "ibotta",
      options: SyncOptions(
        source: source, acceptsRemovals: acceptsRemovals, lockWaitSeconds: lockWaitSeconds,
        limits: limits, allowsPrivateNetwork: allowsPrivateNetwork))
  }

  /// The ids of the offers the feed has, in order.
  func ids() async throws -> [String] {
    try await database.fetchOffers(OfferQuery()).map(\.ref.id)
  }

  /// What `offers status` would tell of the feed.
  func feed() async throws -> Feed {
    let feeds = try await database.fetchFeeds()
    guard let feed = feeds.first else { throw OffersError(.notFound, "no feed") }
    return feed
  }
}

/// Texts of feeds.
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

  static func list(_ records: [String]) -> String { "[\(records.joined(separator: ","))]" }
}

extension SyncCounts {
  /// New, changed, gone, back, unchanged, skipped.
  var all: [Int] { [new, changed, gone, back, unchanged, skipped] }
}
