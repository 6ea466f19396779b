import Foundation
import OffersCore
import OffersTestSupport
import Testing

@Suite("The bytes of files")
struct FileBytesTests {
  private let folder: TemporaryFolder
  private let descriptor: Int32

  init() throws {
    folder = try TemporaryFolder()
    descriptor = open(folder.file("file"), O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    try #require(descriptor >= 0)
  }

  private func information() -> stat {
    var information = stat()
    fstat(descriptor, &information)
    return information
  }

  @Test("room is asked for behind the end, and the size stays")
  func reserves() {
    defer { close(descriptor) }
    // Not every file system can.
    let isThere = FileBytes.reserve(1 << 20, in: descriptor)
    #expect(information().st_size == 0)
    #expect(isThere == (information().st_blocks * 512 >= 1 << 20))
  }

  @Test(
    "no room is taken that others may need: more than half of what is free, or none",
    arguments: [0, -1, 1 << 50])
  func refuses(bytes: Int) {
    defer { close(descriptor) }
    #expect(!FileBytes.reserve(bytes, in: descriptor))
    #expect(information().st_blocks == 0)
  }
}
