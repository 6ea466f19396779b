import OffersSQLite
import OffersStore
import OffersTestSupport

extension OffersDatabase {
  private static let template = Task {
    try await FileTemplate { path in try await open(path: path).close() }
  }

  /// Opens a new database in a folder: a copy of one that is made once.
  package static func openNew(in folder: TemporaryFolder) async throws -> OffersDatabase {
    let path = folder.file("offers.sqlite")
    try await template.value.copy(to: path)
    return try await open(path: path)
  }
}
