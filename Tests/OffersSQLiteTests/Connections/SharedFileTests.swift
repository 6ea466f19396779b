import Foundation
import GRDB
import OffersCore
import OffersStore
import OffersTestSupport
import Testing

@testable import OffersSQLite

@Suite("One file, opened in several ways")
struct SharedFileTests {
  /// Whether this process still has SQLite's shared lock on a database, tested through a descriptor
  /// that conflicts with the process's own locks (fcntl(2), F_OFD_GETLK).
  private static func hasSharedLock(_ descriptor: Int32) -> Bool {
    var range = flock()
    range.l_type = Int16(F_WRLCK)
    range.l_whence = Int16(SEEK_SET)
    range.l_start = 0x4000_0002
    range.l_len = 510
    let askOpenFileDescription: Int32 = 36
    return fcntl(descriptor, askOpenFileDescription, &range) == 0 && range.l_type != Int16(F_UNLCK)
  }

  @Test("opening a database again or checking it does not drop the process's locks")
  func keepsLocks() async throws {
    let store = try await Store()
    try await store.sync([FeedOffer("1")])
    let reader = try await OffersDatabase.open(path: store.path, access: .readOnly)
    _ = try await reader.countOffers(OfferQuery())
    let descriptor = open(store.path, O_RDWR)
    // Closed at the end of the test, because closing it drops the locks.
    defer { close(descriptor) }
    #expect(Self.hasSharedLock(descriptor))
    #expect(SQLitePlace(unchecked: store.path).exists)
    for access in [OffersDatabase.Access.readOnly, .readWrite] {
      let second = try await OffersDatabase.open(path: store.path, access: access)
      _ = try await second.countOffers(OfferQuery())
      #expect(Self.hasSharedLock(descriptor))
    }
    #expect(try await reader.countOffers(OfferQuery()) == 1)
  }

  @Test("opening through a link uses the same locks", arguments: [true, false])
  func locksByLink(exists: Bool) async throws {
    let folder = try TemporaryFolder()
    let path = folder.file("offers.sqlite")
    let link = folder.file("link.sqlite")
    if exists { _ = try await OffersDatabase.open(path: path) }
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: path)
    let byLink = try await OffersDatabase.open(path: link)
    let direct = try await OffersDatabase.open(path: path)
    #expect(byLink.sqlite.file.lockPath == direct.sqlite.file.lockPath)
    #expect(!FileManager.default.fileExists(atPath: link + "-lock"))
  }
}
