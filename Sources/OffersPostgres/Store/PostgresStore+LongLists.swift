import OffersCore
import OffersStore

extension PostgresStore: LongListRepository {
  package func selectChanges(_ query: ChangeQuery) async throws -> any LongChangeList {
    try await database.read { [self] connection in
      ReadableChanges(
        rows: try SelectedChanges.keys(query, of: user, in: connection),
        lastID: try ChangeTable.fetchLastID(in: connection), query: query, store: self)
    }
  }
}

/// Selected changes, with the store that has their offers.
private struct ReadableChanges: LongChangeList {
  let rows: [ChangeTable.Key]
  let lastID: Int64
  let query: ChangeQuery
  let store: PostgresStore

  var count: Int { rows.count }

  func fetch(_ range: Range<Int>) async throws -> [OfferChange] {
    let keys = Array(rows[range.clamped(to: rows.indices)])
    return try await store.database.read { [query, user = store.user] connection in
      try SelectedChanges.view(
        ChangeTable.entries(at: keys, of: user, in: connection), query, of: user, in: connection)
    }
  }
}
