import Foundation
import OffersTestSupport
import Testing

@Suite("Commands that run inside the test process")
struct CommandCallTests {
  @Test("each command closes its database")
  func close() async throws {
    let home = try await Home(synced: [FeedItem("1", "Tea"), FeedItem("2", "Jam")])
    for arguments in [
      ["list"], ["show", "1"], ["search", "tea"], ["favorite", "1"], ["doctor"], ["export"],
      ["show", "9"],
    ] {
      try await home.call(arguments)
      // The connection's queue may release it after the command has returned.
      let end = ContinuousClock.now + .seconds(30)
      while try isOpen(home.database), ContinuousClock.now < end { await Task.yield() }
      #expect(try !isOpen(home.database), "\(arguments)")
    }
  }

  /// Returns whether this process has a file open.
  private func isOpen(_ file: String) throws -> Bool {
    let folder = "/proc/self/fd"
    return try FileManager.default.contentsOfDirectory(atPath: folder).contains { name in
      // Tests that run in parallel may close their descriptors during the loop.
      let path = try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\(name)")
      return path == file
    }
  }
}
