import Foundation
import OffersPlatform
import OffersTestSupport
import Testing

@Suite("File operations")
struct FileOperationsTests {
  @Test("missing parent folders are created, accessible by their owner only")
  func folders() throws {
    let folder = try TemporaryFolder()
    for _ in 0..<2 { try FileOperations.makeFolders(of: folder.file("a//b/file")) }
    let mode = try FileManager.default.attributesOfItem(atPath: folder.file("a/b"))
    #expect(mode[.posixPermissions] as? Int == 0o700)
    #expect(!FileManager.default.fileExists(atPath: folder.file("a/b/file")))
  }

  @Test("the name of each new folder is synced before anything is created in it")
  func syncedFolders() throws {
    let folder = try TemporaryFolder()
    try FileOperations.makeFolders(of: folder.file("a/file"))
    var synced: [String] = []
    try FileOperations.makeFolders(of: folder.file("a/b/c/d/file")) { made in
      synced.append(made)
      #expect((try? FileManager.default.contentsOfDirectory(atPath: made)) == [])
    }
    #expect(synced == ["a/b", "a/b/c", "a/b/c/d"].map(folder.file))
    try FileOperations.makeFolders(of: folder.file("a/b/c/d/file")) { _ in
      Issue.record("nothing is new")
    }
  }

  @Test("a file is renamed to a free name only")
  func moves() throws {
    let folder = try TemporaryFolder()
    let old = try folder.write("tea", to: "old")
    let taken = try folder.write("jam", to: "taken")
    #expect(throws: SystemError(EEXIST, "rename")) { try FileOperations.move(old, toNew: taken) }
    #expect(try String(contentsOfFile: old, encoding: .utf8) == "tea")
    #expect(try String(contentsOfFile: taken, encoding: .utf8) == "jam")
    try FileOperations.move(old, toNew: folder.file("free"))
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() == [
        "free", "taken",
      ])
    #expect(throws: SystemError(ENOENT, "rename")) {
      try FileOperations.move(old, toNew: folder.file("new"))
    }
  }

  @Test("an empty file is created only where there is none, and no link is followed")
  func makesFiles() throws {
    let folder = try TemporaryFolder()
    #expect(try FileOperations.makeFile(folder.file("new")))
    let taken = try folder.write("tea", to: "taken")
    #expect(try !FileOperations.makeFile(taken))
    #expect(try String(contentsOfFile: taken, encoding: .utf8) == "tea")
    let link = folder.file("link")
    try FileManager.default.createSymbolicLink(
      atPath: link, withDestinationPath: folder.file("elsewhere"))
    #expect(try !FileOperations.makeFile(link))
    #expect(throws: SystemError(ENOENT, "open")) {
      try FileOperations.makeFile(folder.file("no/a"))
    }
    #expect(!FileManager.default.fileExists(atPath: folder.file("elsewhere")))
  }

  @Test("a parent folder that is a file is refused")
  func fileInTheWay() throws {
    let folder = try TemporaryFolder()
    try folder.write("", to: "file")
    #expect(throws: SystemError(ENOTDIR, "mkdir")) {
      try FileOperations.makeFolders(of: folder.file("file/b/c"))
    }
  }

  @Test(
    "the parent folder of a path",
    arguments: [("a", "."), ("/a", "/"), ("/a/b", "/a"), ("a/b/", "a/b"), ("", ".")])
  func parents(path: String, expected: String) {
    #expect(FileOperations.folder(of: path) == expected)
  }

  private func next(from descriptor: Int32) throws -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: 64)
    let count = try bytes.withUnsafeMutableBytes {
      try FileOperations.readNext(into: $0, from: descriptor)
    }
    return Array(bytes[..<count])
  }

  @Test("bytes are written and read completely, and a closed descriptor is refused")
  func bytes() throws {
    let pipe = Pipe()
    let text = Array("green tea".utf8)
    try text.withUnsafeBytes {
      try FileOperations.writeAll($0, to: pipe.fileHandleForWriting.fileDescriptor)
    }
    try pipe.fileHandleForWriting.close()
    #expect(try next(from: pipe.fileHandleForReading.fileDescriptor) == text)
    #expect(try next(from: pipe.fileHandleForReading.fileDescriptor).isEmpty)
    #expect(throws: SystemError(EBADF, "read")) { try next(from: -1) }
    #expect(throws: SystemError(EBADF, "write")) {
      try text.withUnsafeBytes { try FileOperations.writeAll($0, to: -1) }
    }
  }
}
