import Foundation
import OffersTestSupport
import Testing

@testable import OffersPlatform

@Suite("Temporary files")
struct TemporaryFileTests {
  @Test("appended bytes are read from any offset, and the folder stays empty")
  func reads() throws {
    let folder = try TemporaryFolder()
    let file = try TemporaryFile(folder: folder.path)
    for text in ["green ", "tea"] {
      try text.utf8CString.withUnsafeBytes { bytes in
        try file.append(UnsafeRawBufferPointer(rebasing: bytes.dropLast()))
      }
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
    #expect(try text(of: file, at: 0) == "green tea")
    #expect(try text(of: file, at: 6) == "tea")
    #expect(try text(of: file, at: 9) == "")
  }

  private func text(of file: TemporaryFile, at offset: Int) throws -> String {
    try withUnsafeTemporaryAllocation(byteCount: 64, alignment: 1) { buffer in
      let count = try file.read(buffer, at: offset)
      return String(decoding: buffer[..<count], as: UTF8.self)
    }
  }

  @Test("a folder that does not exist is refused with the system's error")
  func refuses() throws {
    let folder = try TemporaryFolder()
    #expect(throws: SystemError(ENOENT, "open")) {
      try TemporaryFile(folder: folder.file("missing"))
    }
  }

  @Test("without unnamed files, the name is removed at once, and so are those of killed processes")
  func named() throws {
    let folder = try TemporaryFolder()
    try folder.write("x", to: AbandonedFiles.makeSpoolName())
    let descriptor = try TemporaryFile.makeNamed(in: folder.path)
    defer { close(descriptor) }
    #expect(write(descriptor, "tea", 3) == 3)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == [])
  }
}
