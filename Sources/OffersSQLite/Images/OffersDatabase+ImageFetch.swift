import Foundation
import OffersCore
import OffersStore

extension OffersDatabase: ImageRepository, ImageFetchStore {
  package func takeLease(
    on url: String, holder: Int64, seconds: Double, now: Date
  ) async throws -> Bool {
    leaseHolders.add(holder)
    return try await write(.image) { [leaseHolders] in
      try ImageLeaseTable.take(
        url, holder: holder, seconds: seconds, now: now, isAlive: leaseHolders.isAlive, in: $0)
    }
  }

  /// Records one lookup of an image in the file, as a hit, unless another process is writing.
  package static func noteImageUse(of url: String, path: String) async throws {
    let lockPath = DatabaseFile(path: DatabaseFile.resolve(path)).lockPath
    let lock = try DatabaseLock(path: lockPath, byte: 0)
    guard try lock.tryLock() else { return }
    lock.unlock()
    let database = try await OffersDatabase.open(path: path)
    _ = database.imageUses.note(url, isAsked: true)
    try await database.flushImageUses()
  }
}
