import Foundation
import OffersCore
import OffersStore

extension OffersDatabase: ImageRepository, ImageFetchStore {
  package func takeLease(
    on url: String, holder: Int64, seconds: Double, now: Date
  ) async throws -> Bool {
    leaseHolders.add(holder)
    return try await writePictures { [leaseHolders] in
      try ImageLeaseTable.take(
        url, holder: holder, seconds: seconds, now: now, isAlive: leaseHolders.isAlive, in: $0)
    }
  }
}
