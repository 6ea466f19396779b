import Foundation
import OffersCore
import OffersHTTP
import OffersStore
import OffersSync
import TestStores

/// A database that passes everything on to another one, and notes what was asked of it.
struct RecordingStore: Sendable {
  typealias Call = WatchedEngine.Call

  let database: OffersDatabase
  private let engine: WatchedEngine

  /// - Parameter failure: the error of a call after the calls before it; nil to pass it on.
  init(
    _ base: OffersDatabase,
    failing failure: @escaping @Sendable (Call) -> (any Error)? = { _ in nil }
  ) {
    engine = WatchedEngine(base.engine) { if let error = failure($0) { throw error } }
    database = OffersDatabase(engine, definitions: base.definitions)
  }

  /// The calls so far, in order.
  var calls: [Call] { engine.calls }
  /// The locks and the writes of syncs so far, in order.
  var writes: [Call] {
    calls.filter { ![.transaction(.query), .transaction(.read)].contains($0) }
  }

  /// Syncs the ibotta feed from a text, written to a file first.
  func sync(
    _ text: String, in home: SyncedFolder, acceptsRemovals: Bool = false, at seconds: Int = 2_000
  ) async throws -> SyncRun {
    let path = try home.folder.write(text, to: "feed.json")
    let engine = SyncEngine(
      store: database, now: { Date(timeIntervalSince1970: Double(seconds)) })
    return try await engine.run(
      "ibotta", options: SyncOptions(source: .file(path), acceptsRemovals: acceptsRemovals))
  }
}
