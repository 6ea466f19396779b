import Foundation
import OffersTestSupport
import Testing

@testable import OffersCLI

@Suite("Atomic replacement of files")
struct NewFileTests {
  private static func write(_ text: String, to path: String) throws {
    let file = try NewFile(replacing: path, hint: "Check it.")
    try Array(text.utf8).withUnsafeBytes(file.append)
    try file.commit()
  }

  @Test("a symbolic link in place of the temporary file is not followed")
  func link() throws {
    let folder = try TemporaryFolder()
    let diary = try folder.write("Dear diary", to: "diary.txt")
    let path = folder.file("saved.json")
    #expect(symlink(diary, "\(path).new-\(getpid())") == 0)
    try Self.write("{}", to: path)
    #expect(try folder.text(of: "diary.txt") == "Dear diary")
    #expect(try folder.text(of: "saved.json") == "{}")
    var information = stat()
    #expect(lstat(path, &information) == 0 && information.st_mode & S_IFMT == S_IFREG)
  }

  @Test("a dead process's temporary file is replaced; a folder of that name is an error")
  func remain() throws {
    let folder = try TemporaryFolder()
    let path = folder.file("saved.json")
    try folder.write("a longer text", to: "saved.json.new-\(getpid())")
    try Self.write("{}", to: path)
    #expect(try folder.text(of: "saved.json") == "{}")
    #expect(mkdir("\(path).new-\(getpid())", 0o700) == 0)
    #expect(throws: (any Error).self) { try Self.write("[]", to: path) }
    #expect(try folder.text(of: "saved.json") == "{}")
  }
}
