import OffersCore

extension OffersDatabase: OffersStorage {
  package var place: String { path }
  package var engine: StoreEngine { Self.engine }
  package var maintenance: (any StoreMaintenance)? { file.memory == nil ? self : nil }

  /// The loaded SQLite library.
  package static var engine: StoreEngine {
    StoreEngine(
      key: "sqlite", name: "SQLite", version: sqliteVersion,
      remark: "writers take turns by a lock file", warning: sqliteWarning)
  }
}

extension OffersDatabase: StoreMaintenance {
  package var compactedShare: Double { Self.freeShare }

  package func file(at path: String) -> any StoreFile { SQLitePlace(unchecked: path) }
}
