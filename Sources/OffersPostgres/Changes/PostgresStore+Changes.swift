import Foundation
import OffersCore
import OffersStore

extension PostgresStore: ChangeRepository {
  package func fetchChanges(
    _ query: ChangeQuery
  ) async throws -> (changes: [OfferChange], lastID: Int64) {
    try await database.read { [user] connection in
      (
        try SelectedChanges.changes(query, of: user, in: connection),
        try ChangeTable.fetchLastID(in: connection)
      )
    }
  }

  package func fetchChangePage(_ query: ChangeQuery) async throws -> ChangePage {
    try await database.read { [user] in try SelectedChanges.page(query, of: user, in: $0) }
  }

  package func fetchHistory(
    named text: String, _ bounds: HistoryBounds
  ) async throws -> HistoryPage {
    try await database.read { [user] connection in
      let stored = try OfferTable.fetch(named: text, of: user, in: PostgresTransaction(connection))
      var batch: ArraySlice<RewardHistory.Row> = []
      var last = bounds.before ?? .max
      var isAtEnd = false
      return try RewardHistory.page(of: stored.offer, bounds) {
        if batch.isEmpty, !isAtEnd {
          batch = try ChangeTable.history(of: stored.key, before: last, in: connection)[...]
          isAtEnd = batch.isEmpty
        }
        last = batch.first?.id ?? last
        return batch.popFirst()
      } findLater: {
        try ChangeTable.rewardChanges(of: [stored.key], from: $0, in: connection)[stored.key]?.first
          .map { ($0.old, $0.id) }
      }
    }
  }
}
