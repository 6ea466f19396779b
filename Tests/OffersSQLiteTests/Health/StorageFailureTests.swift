import Foundation
import GRDB
import OffersCore
import OffersTestSupport
import Testing

@testable import OffersSQLite

@Suite("Messages for failures of the disk and the system")
struct StorageFailureTests {
  private static func error(
    _ code: ResultCode, _ reason: Int32 = 0, mayBeStored: Bool = false
  ) throws -> OffersError {
    let error = StorageFailure.translate(
      DatabaseError(resultCode: code), path: "/data/offers.sqlite", reason: reason,
      mayBeStored: mayBeStored)
    return try #require(error as? OffersError)
  }

  @Test("a commit that could not be synced may or may not have been stored")
  func unsynced() throws {
    let error = try Self.error(.SQLITE_IOERR_FSYNC, EIO, mayBeStored: true)
    #expect(
      error.message
        == "/data/offers.sqlite could not be synced to the disk: Input/output error. "
        + "The change may or may not have been stored in /data/offers.sqlite.")
    #expect(error.hint?.text.contains("look whether the change is there") == true)
    let quota = try Self.error(.SQLITE_IOERR_WRITE, EDQUOT, mayBeStored: true)
    #expect(quota.message == "The disk is full; nothing was changed in /data/offers.sqlite.")
    let before = try Self.error(.SQLITE_IOERR_FSYNC, EIO)
    #expect(before.message.hasSuffix("Input/output error. Nothing was changed."))
  }

  @Test("an operation says what failed, and why")
  func operations() throws {
    let read = try Self.error(.SQLITE_IOERR_READ, EIO)
    #expect(read.message.hasPrefix("/data/offers.sqlite could not be read: Input/output error."))
    #expect(read.hint?.text.contains("The disk may be failing") == true)
    #expect(
      read.hint?.text.contains("ermission") == false && read.hint != StorageFailure.damageHint)
    let unknown = try Self.error(.SQLITE_IOERR_WRITE)
    #expect(unknown.message.contains("could not be written: an error of the disk."))
    let full = try Self.error(.SQLITE_IOERR_SHMSIZE, ENOSPC)
    #expect(
      full.message.hasPrefix("The disk is full, so /data/offers.sqlite-shm could not be made"))
    #expect(full.hint?.text == "Make room, then try again.")
    #expect(try Self.error(.SQLITE_FULL).message.hasPrefix("The disk is full; nothing was changed"))
  }

  @Test("a file that cannot be opened is a matter of permissions only if the system says so")
  func opening() throws {
    let files = try Self.error(.SQLITE_CANTOPEN, EMFILE)
    #expect(
      files.message.contains("could not be opened: Too many open files. Nothing was changed."))
    #expect(files.hint?.text.contains("open files") == true)
    #expect(try Self.error(.SQLITE_CANTOPEN, EIO).hint?.text.contains("ermission") == false)
    #expect(try Self.error(.SQLITE_CANTOPEN, EACCES).hint?.text.contains("permissions") == true)
    #expect(try Self.error(.SQLITE_NOMEM).message.contains("not enough memory"))
  }

  @Test("a failed operation of a connection is told with the system's reason")
  func connection() async throws {
    let store = try await Store()
    let error = await #expect(throws: OffersError.self) {
      try await store.database.write { _ in throw DatabaseError(resultCode: .SQLITE_IOERR_WRITE) }
    }
    #expect(error?.message.hasSuffix("Nothing was changed.") == true)
    let late = await #expect(throws: OffersError.self) {
      try await store.database.write { database in
        // Fails when the transaction is committed.
        database.add(transactionObserver: FailingCommit(), extent: .nextTransaction)
        try database.execute(
          sql: """
            INSERT INTO favorite (user_key, feed, id, created_at) VALUES (1, 'ibotta', '1', 1500)
            """)
      }
    }
    #expect(late?.message.contains("may or may not have been stored") == true)
  }

  private final class FailingCommit: TransactionObserver {
    func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { true }
    func databaseDidChange(with event: DatabaseEvent) {}
    func databaseWillCommit() throws { throw DatabaseError(resultCode: .SQLITE_IOERR_FSYNC) }
    func databaseDidCommit(_ database: Database) {}
    func databaseDidRollback(_ database: Database) {}
  }

  @Test("a file that cannot be read is no backup of another program, unless it is not this user's")
  func headers() {
    for number in [EMFILE, ENFILE, EIO, ENOMEM] {
      #expect(!DatabaseFile.HeaderFailure(number: number).isOfAnother)
    }
    #expect(DatabaseFile.HeaderFailure(number: nil).isOfAnother)
    #expect(DatabaseFile.HeaderFailure(number: EACCES).isOfAnother)
    let error = DatabaseFile(path: "/data/x").unreadable(.init(number: EIO))
    #expect(error.message == "Could not open the database /data/x: Input/output error.")
    #expect(error.hint?.text.contains("ermission") == false)
  }

  @Test("a page that the disk does not return is not called damaged")
  func unreadablePage() throws {
    #expect(throws: DatabaseError.self) {
      try Integrity.checkReadable("Tree 5 page 7: unable to get the page. error code=266")
    }
    try Integrity.checkReadable("Tree 5 page 7: unable to get the page. error code=11")
    try Integrity.checkReadable("row 1 missing from index offer_by_gone")
  }
}
