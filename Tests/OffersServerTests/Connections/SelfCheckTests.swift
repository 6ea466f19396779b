import NIOCore
import OffersTestSupport
import Testing

@testable import OffersServer

@Suite("The server's check of itself")
struct SelfCheckTests {
  private static func address(_ port: UInt16) throws -> SocketAddress {
    try SocketAddress(ipAddress: "127.0.0.1", port: Int(port))
  }

  @Test(
    "a running server reports at the interval that it answers",
    arguments: [(false, false), (true, false), (true, true)])
  func passes(needsToken: Bool, speaksTLS: Bool) async throws {
    let home = try await ServedHome(feeds: [])
    let files = try TestCertificate().write(to: home.folder)
    let certificate = try ServerCertificate(certificate: files.certificate, key: files.key)
    let (passes, passed) = AsyncStream.makeStream(of: Void.self)
    let server = try home.server(
      token: needsToken ? ServedHome.token : nil, certificate: speaksTLS ? certificate : nil,
      port: 0)
    await withTaskGroup(of: Void.self) { group in
      group.addTask {
        // The only error is the cancellation below.
        try? await server.run(
          ConnectionDeadlines.Times(), ConnectionTable.Limits(), handlesSignals: false,
          selfCheck: SelfCheckSchedule(seconds: 0.05) { passed.yield() }, ready: { _ in })
      }
      var count = 0
      for await _ in passes {
        count += 1
        if count == 3 { break }
      }
      #expect(count == 3)
      group.cancelAll()
    }
  }

  @Test("a server that accepts connections and does not answer fails the check")
  func failsWithoutAnswer() async throws {
    let silent = try ScriptedServer([.silence])
    let isAnswered = await SelfCheck.isAnswered(at: try Self.address(silent.port), seconds: 0.2)
    #expect(!isAnswered)
  }

  @Test("a server of plain HTTP fails the check by TLS")
  func failsWithoutTLS() async throws {
    let plain = try ScriptedServer([.answer("200 OK", [], "")])
    let context = try SelfCheck.makeContext()
    let isAnswered = await SelfCheck.isAnswered(
      at: try Self.address(plain.port), context, seconds: 60)
    #expect(!isAnswered)
  }

  @Test("a refused connection and another status fail the check")
  func failsWithOtherAnswers() async throws {
    let busy = try ScriptedServer([.answer("503 Service Unavailable", [], "")])
    // Port 1 of loopback has no listener.
    for port in [busy.port, 1] {
      let isAnswered = await SelfCheck.isAnswered(at: try Self.address(port), seconds: 60)
      #expect(!isAnswered)
    }
  }
}
