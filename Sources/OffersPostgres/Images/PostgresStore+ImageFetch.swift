import Foundation
import OffersCore
import OffersStore

extension PostgresStore: ImageRepository, ImageFetchStore {
  package func takeLease(
    on url: String, holder: Int64, seconds: Double, now: Date
  ) async throws -> Bool {
    try await database.write(isCounted: false) { connection in
      try ImageLeaseTable.take(url, holder: holder, seconds: seconds, in: connection)
    }
  }
}
