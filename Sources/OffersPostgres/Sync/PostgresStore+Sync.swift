import Foundation
import OffersCore
import OffersStore

extension PostgresStore: SyncStore {
  package var scratchFolder: String { NSTemporaryDirectory() }
}
