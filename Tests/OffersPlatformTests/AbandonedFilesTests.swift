import Foundation
import OffersTestSupport
import Testing

@testable import OffersPlatform

@Suite("Files of killed processes")
struct AbandonedFilesTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// The id of a process that has ended.
  private static func endedProcess() throws -> Int32 {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/bin/true")
    try process.run()
    process.waitUntilExit()
    return process.processIdentifier
  }

  private func found() -> [String] {
    AbandonedFiles.find(in: folder.path).map { String($0.dropFirst(folder.path.count + 1)) }
  }

  private func names() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
  }

  @Test("those of ended processes are found and removed, whatever their final names")
  func ended() throws {
    let pid = try Self.endedProcess()
    let abandoned = [
      "a-2026-11-24.sqlite.offers.new-\(pid)", "b.offers.new-1.json.offers.new-\(pid)-2",
      "offers-spool-3w5e11264sg0a",
    ]
    for name in abandoned { try folder.write("x", to: name) }
    #expect(found() == abandoned)
    #expect(AbandonedFiles.remove(in: folder.path).count == 3)
    #expect(try names() == [])
  }

  @Test("those of living processes stay, and so do files with other names")
  func others() throws {
    let pid = try Self.endedProcess()
    let kept = [
      "report.new-\(pid)", "a.offers.new-\(getppid())", "a.offers.new-\(getpid())",
      "a.offers.new-", "a.offers.new-\(pid)x", "a.offers.new-\(pid)-", "a.offers.new-0",
      ".offers.new-\(pid)", "offers-spool-notes.txt", "offers-spool-",
    ]
    for name in kept { try folder.write("x", to: name) }
    try FileManager.default.createDirectory(
      atPath: folder.file("b.offers.new-\(pid)"), withIntermediateDirectories: false)
    try FileManager.default.createSymbolicLink(
      atPath: folder.file("c.offers.new-\(pid)"), withDestinationPath: folder.file("missing"))
    #expect(found() == [])
    AbandonedFiles.remove(in: folder.path)
    #expect(try names().count == kept.count + 2)
  }

  @Test("a file that is locked stays, even if no process has the id in its name")
  func locked() throws {
    // The writer may be in another container, with process ids of its own.
    let name = "a.offers.new-\(try Self.endedProcess())"
    let descriptor = open(try folder.write("x", to: name), O_RDWR | O_CLOEXEC)
    #expect(try LockFile.tryLock(byte: AbandonedFiles.lockedByte, of: descriptor))
    #expect(found() == [])
    close(descriptor)
    #expect(found() == [name])
  }

  @Test("an old file without a lock is found, even if another process has the id in its name")
  func reusedProcess() throws {
    let name = "a.offers.new-\(getppid())"
    let path = try folder.write("x", to: name)
    let times = [timeval(tv_sec: time(nil) - 7200, tv_usec: 0)]
    #expect(utimes(path, times + times) == 0)
    #expect(found() == [name])
  }

  @Test("a folder that cannot be listed has none")
  func missing() { #expect(AbandonedFiles.find(in: folder.file("missing")) == []) }
}
