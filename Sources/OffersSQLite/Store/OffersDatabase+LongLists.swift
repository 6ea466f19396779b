import OffersCore

extension OffersDatabase: LongListRepository {
  package func selectChanges(_ query: ChangeQuery) async throws -> any LongChangeList {
    let changes = try await read { [definitions, user] in
      try SelectedChanges(query, of: user, definitions, in: $0)
    }
    return ReadableChanges(changes: changes, database: self)
  }
}

/// Selected changes, with the database that has their offers.
private struct ReadableChanges: LongChangeList {
  let changes: SelectedChanges
  let database: OffersDatabase

  var count: Int { changes.count }
  var lastID: Int64 { changes.lastID }

  func fetch(_ range: Range<Int>) async throws -> [OfferChange] {
    try await database.read { try changes.read(range, in: $0) }
  }
}
