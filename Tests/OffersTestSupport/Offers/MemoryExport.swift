import OffersCore
import OffersStore

/// An export in memory.
package struct MemoryExport: ExportRecordSource {
  package var records: [ExportRecord]

  package init(records: [ExportRecord] = []) { self.records = records }

  package func forEachRecord(_ body: (ExportRecord) throws -> Void) throws {
    for record in records { try body(record) }
  }

  package var offers: [ExportedOffer] {
    records.compactMap { if case .offer(let offer) = $0 { offer } else { nil } }
  }

  package var feeds: [String] {
    records.compactMap { if case .feed(let feed) = $0 { feed.name } else { nil } }
  }

  package var runs: [ExportedRun] {
    records.compactMap { if case .run(let run) = $0 { run } else { nil } }
  }

  package func offers(of feed: String) -> [ExportedOffer] {
    offers.filter { $0.ref.feed == feed }
  }

  /// The changes of a feed's offers, without the numbers of their runs.
  package func changes(of feed: String) -> [ExportedChange] {
    records.compactMap {
      guard case .change(var change) = $0, change.ref.feed == feed else { return nil }
      change.run = 0
      return change
    }
  }

  package var users: [ExportedUser] {
    records.compactMap { if case .user(let user) = $0 { user } else { nil } }
  }

  package var favorites: [ExportedFavorite] {
    records.compactMap { if case .favorite(let favorite) = $0 { favorite } else { nil } }
  }

  /// The exported document, for comparison.
  package func text() throws -> String {
    var bytes: [UInt8] = []
    var writer = try ExportWriter { bytes += $0 }
    for record in records { try writer.add(record) }
    try writer.finish()
    return String(decoding: bytes, as: UTF8.self)
  }
}

extension OffersDatabase {
  /// The records of an export.
  package func exported(
    favoritesOnly: Bool = false, allUsers: Bool = false
  ) async throws -> MemoryExport {
    try await export(favoritesOnly: favoritesOnly, allUsers: allUsers) { records in
      var kept = MemoryExport()
      try records.forEachRecord { kept.records.append($0) }
      return kept
    }
  }

  @discardableResult
  package func take(_ kept: MemoryExport) async throws -> ImportSummary {
    try await importRecords(from: kept, feeds: kept.feeds)
  }
}
