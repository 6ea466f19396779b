import Foundation
import OffersPlatform
import OffersTestSupport
import Testing

@Suite("Locks of a file")
struct LockFileTests {
  private let folder: TemporaryFolder
  private let path: String

  init() throws {
    folder = try TemporaryFolder()
    path = folder.file("lock")
  }

  @Test("two instances exclude each other within one process, byte by byte")
  func excludes() throws {
    let first = try LockFile(path: path)
    let second = try LockFile(path: path)
    #expect(try first.tryLock(byte: 0))
    #expect(try !second.tryLock(byte: 0))
    #expect(try second.tryLock(byte: 1))
    #expect(try second.isHeld(byte: 0))
    #expect(try !second.isHeld(byte: 1), "the lock of this instance is not another holder's")
    first.unlock(byte: 0)
    #expect(try second.tryLock(byte: 0))
  }

  @Test("the release of an instance releases its own locks only")
  func releases() throws {
    let kept = try LockFile(path: path)
    #expect(try kept.tryLock(byte: 0))
    do {
      let other = try LockFile(path: path)
      #expect(try other.tryLock(byte: 1))
    }
    #expect(try LockFile(path: path).isHeld(byte: 0))
    #expect(try !LockFile(path: path).isHeld(byte: 1))
  }

  @Test("all bytes are unlocked at once")
  func unlocksAll() throws {
    let file = try LockFile(path: path)
    for byte in [0, 7, Int64(1) << 40] { #expect(try file.tryLock(byte: byte)) }
    file.unlockAll()
    for byte in [0, 7, Int64(1) << 40] { #expect(try !LockFile(path: path).isHeld(byte: byte)) }
  }

  @Test("a new lock file is accessible by its owner only")
  func mode() throws {
    _ = try LockFile(path: path)
    let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions]
    #expect(mode as? Int == 0o600)
  }

  @Test("a file that cannot be opened is refused with the system's error")
  func refuses() {
    let error = #expect(throws: SystemError.self) {
      try LockFile(path: folder.file("missing/lock"))
    }
    #expect(error == SystemError(ENOENT, "open"))
    #expect(error?.text == "No such file or directory")
  }

  @Test("the holder of a lock is listed with its process and byte")
  func holder() throws {
    let file = try LockFile(path: path)
    #expect(try #require(LockHolder.find(on: path)).isEmpty)
    #expect(try file.tryLock(byte: 5))
    // The kernel reports the path with symbolic links resolved.
    let resolved = URL(fileURLWithPath: path).resolvingSymlinksInPath().path
    let holders = try #require(LockHolder.find(on: resolved))
    #expect(holders.map(\.byte) == [5])
    #expect(holders.map(\.pid) == [getpid()])
  }
}
