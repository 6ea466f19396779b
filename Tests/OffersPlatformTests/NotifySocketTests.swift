import Foundation
import OffersPlatform
import OffersTestSupport
import Testing

@Suite("Reports to a service manager")
struct NotifySocketTests {
  @Test("each report is one datagram, at a path and in the abstract namespace")
  func sends() throws {
    let folder = try TemporaryFolder()
    for name in [folder.file("notify"), "@offers-test-\(UInt64.random(in: .min ... .max))"] {
      let manager = try DatagramListener(name)
      let socket = try #require(NotifySocket(name))
      try socket.send("READY=1")
      try socket.send("STATUS=a\nWATCHDOG=1")
      #expect(manager.receive() == "READY=1")
      #expect(manager.receive() == "STATUS=a\nWATCHDOG=1")
    }
  }

  @Test("a socket that is missing or whose path is too long throws an error")
  func fails() throws {
    let folder = try TemporaryFolder()
    for (name, number) in [
      (folder.file("missing"), ENOENT), ("/" + String(repeating: "a", count: 200), ENAMETOOLONG),
    ] {
      let error = #expect(throws: SystemError.self) {
        try #require(NotifySocket(name)).send("READY=1")
      }
      #expect(error?.number == number)
    }
  }

  @Test(
    "any other text is no socket",
    arguments: ["", "@", "/", "notify", "./notify", "vsock:2:1", "/a\0b"])
  func refuses(name: String) {
    #expect(NotifySocket(name) == nil)
  }
}
