import Foundation
import OffersPlatform
import OffersTestSupport
import Testing

@Suite("What the file system says of a file")
struct FileStatusTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  @Test("a file has its size, its permissions and one identity under all of its names")
  func file() throws {
    let path = try folder.write("tea", to: "a")
    #expect(chmod(path, 0o640) == 0)
    let link = folder.file("link")
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: path)
    let status = try #require(try FileStatus.find(path))
    #expect(status.bytes == 3 && status.isRegular && !status.isSticky)
    #expect(status.permissions == 0o640)
    #expect(try FileStatus.find(link)?.identity == status.identity)
    #expect(try FileStatus.find(link, followsLinks: false)?.isRegular == false)
    let other = try folder.write("tea", to: "b")
    #expect(try FileStatus.find(other)?.identity != status.identity)
    FileOperations.removeFile(path)
    #expect(try FileStatus.find(link) == nil && !FileAccess.exists(link))
    #expect(try FileStatus.find(link, followsLinks: false) != nil)
  }

  @Test("a folder is no regular file, and may be sticky")
  func folders() throws {
    let path = folder.file("shared")
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    #expect(chmod(path, 0o1777) == 0)
    let status = try #require(try FileStatus.find(path))
    #expect(!status.isRegular && status.isSticky && status.permissions == 0o777)
  }

  @Test("a missing file has no status; one that cannot be looked up has an error")
  func missing() throws {
    #expect(try FileStatus.find(folder.file("none")) == nil)
    let file = try folder.write("", to: "file")
    #expect(try FileStatus.find(file + "/below") == nil)
    let long = folder.file(String(repeating: "a", count: 300))
    #expect(throws: SystemError(ENAMETOOLONG, "stat")) { try FileStatus.find(long) }
  }

  @Test("access to a missing file is denied with the reason, to one's own file granted")
  func access() throws {
    let path = folder.file("a")
    #expect(throws: SystemError(ENOENT, "access")) { try FileAccess.reading.check(path) }
    #expect(!FileAccess.exists(path))
    #expect(try FileOperations.makeFile(path))
    #expect(try FileStatus.find(path)?.permissions == 0o600)
    #expect(FileAccess([.reading, .writing]).isGranted(path) && FileAccess.exists(path))
    try FileAccess.writing.check(folder.path)
  }

  @Test("links are resolved, also those to a file that is missing")
  func links() throws {
    let real = SymbolicLinks.resolve(folder.path)
    let files = FileManager.default
    try files.createSymbolicLink(atPath: folder.file("one"), withDestinationPath: "two")
    try files.createSymbolicLink(
      atPath: folder.file("two"), withDestinationPath: folder.file("file"))
    #expect(SymbolicLinks.resolve(folder.file("one")) == folder.file("file"))
    try folder.write("", to: "file")
    #expect(SymbolicLinks.resolve(folder.file("one")) == real + "/file")
    try files.createSymbolicLink(atPath: folder.file("loop"), withDestinationPath: "loop")
    #expect(SymbolicLinks.resolve(folder.file("loop")).hasSuffix("/loop"))
  }

  @Test("a folder's disk has free space; a missing folder has an error")
  func space() throws {
    #expect(try DiskSpace.freeBytes(of: folder.path) > 0)
    #expect(throws: SystemError(ENOENT, "statvfs")) {
      try DiskSpace.freeBytes(of: folder.file("none"))
    }
  }
}
