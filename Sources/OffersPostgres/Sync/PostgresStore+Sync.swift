import Foundation
import OffersCore
import OffersStore

extension PostgresStore: SyncStore {
  package var scratchFolder: String { NSTemporaryDirectory() }

  package func preview(_ plan: SyncPlan) async throws -> (run: SyncRun, changes: [OfferChange]) {
    try await database.write(kind: .ordered, isKept: false) { [user] connection in
      let lastID = try ChangeTable.fetchLastID(in: connection)
      let run = try SyncWrite.apply(
        plan, of: user, isIndexed: false, in: PostgresTransaction(connection))
      var query = ChangeQuery(now: plan.run.startedAt)
      query.afterID = lastID
      query.kinds = Set(OfferChange.Kind.allCases).subtracting([.expiring])
      return (run, try SelectedChanges.changes(query, of: user, in: connection))
    }
  }
}
