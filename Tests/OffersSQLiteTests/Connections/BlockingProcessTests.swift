import Foundation
import GRDB
import OffersCore
import OffersPlatform
import OffersTestSupport
import Testing

@testable import OffersSQLite

@Suite("A process that stands still")
struct BlockingProcessTests {
  /// Starts a process that locks the log's shared memory as SQLite does, then stops.
  private static func startStopped(on path: String) throws -> Process {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/python3")
    process.arguments = [
      "-c",
      """
      import fcntl, os, signal, sys
      file = open(sys.argv[1], 'r+b')
      fcntl.lockf(file, fcntl.LOCK_EX, 1, 128)
      os.kill(os.getpid(), signal.SIGSTOP)
      """, path,
    ]
    try process.run()
    return process
  }

  @Test(
    "the error names the stopped process that holds the database, and what to do",
    .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/python3")),
    .timeLimit(.minutes(1)))
  func stopped() async throws {
    let folder = try TemporaryFolder()
    let path = try folder.write("", to: "other.sqlite")
    try folder.write("0", to: "other.sqlite-shm")
    let process = try Self.startStopped(on: path + "-shm")
    defer {
      kill(process.processIdentifier, SIGKILL)
      process.waitUntilExit()
    }
    // Starting a process takes a moment.
    while BlockingProcess.find(on: path)?.isStopped != true {
      try await Task.sleep(for: .milliseconds(10))
    }
    let pid = process.processIdentifier
    let error = StorageFailure.translate(
      DatabaseError(resultCode: .SQLITE_PROTOCOL), path: path, since: .now - .seconds(10))
    let failure = try #require(error as? OffersError)
    #expect(failure.code == .storageFailed)
    #expect(
      failure.message.contains("(\(pid)), is stopped and has held \(path) locked for 10 seconds."))
    #expect(failure.hint?.text == "Nothing was changed. End it or let it go on, then try again.")
    #expect(failure.hint?.command == "kill -CONT \(pid)")
  }

  @Test("without a visible holder the error says so much")
  func unknown() async throws {
    let store = try await Store()
    for code in [ResultCode.SQLITE_PROTOCOL, .SQLITE_BUSY] {
      let error = StorageFailure.translate(DatabaseError(resultCode: code), path: store.path)
      #expect(
        (error as? OffersError)?.message == "Another program has held \(store.path) locked.")
    }
  }

  @Test("a write that waits in vain for the write guard names its holder")
  func guardHolder() async throws {
    let store = try await Store()
    let other = try DatabaseLock(path: store.database.sqlite.file.lockPath)
    #expect(try other.tryLock())
    let error = await #expect(throws: OffersError.self) {
      try await store.database.write(waitSeconds: 0) { _ in }
    }
    #expect(
      error?.message.hasSuffix(
        "(\(getpid())), has held \(store.path) locked.") == true,
      "\(error?.message ?? "")")
  }
}
