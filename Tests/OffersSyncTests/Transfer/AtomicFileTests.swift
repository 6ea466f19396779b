import Foundation
import OffersCore
import OffersSync
import OffersTestSupport
import Testing

@Suite("Atomic replacement of files")
struct AtomicFileTests {
  private static func write(_ text: String, to path: String) throws {
    let file = try AtomicFile(replacing: path, hint: "Check it.")
    try Array(text.utf8).withUnsafeBytes(file.append)
    try file.commit()
  }

  private static func text(in path: String) throws -> String {
    try String(contentsOfFile: path, encoding: .utf8)
  }

  @Test("a symbolic link in place of the temporary file is not followed")
  func link() throws {
    let folder = try TemporaryFolder()
    let diary = try folder.write("Dear diary", to: "diary.txt")
    let path = folder.file("saved.json")
    #expect(symlink(diary, "\(path).offers.new-\(getpid())") == 0)
    try Self.write("{}", to: path)
    #expect(try Self.text(in: diary) == "Dear diary")
    #expect(try Self.text(in: path) == "{}")
    var information = stat()
    #expect(lstat(path, &information) == 0 && information.st_mode & S_IFMT == S_IFREG)
  }

  @Test("a temporary file of another process with the same id is left alone, and so is a folder")
  func sameProcessID() throws {
    let folder = try TemporaryFolder()
    let path = folder.file("saved.json")
    let other = try folder.write("half of a text", to: "saved.json.offers.new-\(getpid())")
    #expect(mkdir("\(path).offers.new-\(getpid())-2", 0o700) == 0)
    let file = try AtomicFile(replacing: path, hint: "Check it.")
    #expect(file.temporaryPath == "\(path).offers.new-\(getpid())-3")
    try Array("{}".utf8).withUnsafeBytes(file.append)
    try file.commit()
    #expect(try Self.text(in: path) == "{}")
    #expect(try Self.text(in: other) == "half of a text")
  }

  @Test("two writers of a file in one process do not disturb each other; the last commit counts")
  func writers() throws {
    let folder = try TemporaryFolder()
    let path = folder.file("saved.json")
    let first = try AtomicFile(replacing: path, hint: "Check it.")
    let second = try AtomicFile(replacing: path, hint: "Check it.")
    try Array("first".utf8).withUnsafeBytes(first.append)
    try Array("second".utf8).withUnsafeBytes(second.append)
    try first.commit()
    #expect(try Self.text(in: path) == "first")
    try second.commit()
    #expect(try Self.text(in: path) == "second")
    let third = try AtomicFile(replacing: path, hint: "Check it.")
    third.discard()
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["saved.json"])
  }

  @Test("a file that got the name in the meantime is replaced only if a file was expected there")
  func newcomer() throws {
    let folder = try TemporaryFolder()
    let path = folder.file("saved.json")
    let file = try AtomicFile(replacing: path, hint: "Check it.")
    try folder.write("Dear diary", to: "saved.json")
    let error = #expect(throws: OffersError.self) { try file.commit(isNew: true) }
    #expect(error?.code == .invalidRequest)
    #expect(error?.message.hasSuffix("has meanwhile made \(path). It was left untouched.") == true)
    #expect(try Self.text(in: path) == "Dear diary")
    try file.commit()
    #expect(try Self.text(in: path) == "")
  }
}
