import Foundation
import OffersPlatform
import OffersTestSupport
import Testing

@testable import OffersHTTP
@testable import OffersSync

@Suite("Many hosts")
struct ManyHostsTests {
  private static let hosts = TestSize.isLong ? 1000 : 60

  /// The resident memory of this process, in bytes.
  private static func residentBytes() throws -> Int {
    let text = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8)
    let pages = text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
    return pages * 4096
  }

  @Test("after requests to many https hosts, at most 16 connections are open, and memory stays")
  func areClosed() async throws {
    let server = try await TLSServer(
      answer: "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nTea", closes: false)
    let folder = try TemporaryFolder()
    let file = try folder.write(server.certificate, to: "ca.pem")
    let address = try #require(NetworkAddress("127.0.0.1"))
    let connections = HTTPConnections(
      environment: { $0 == "SSL_CERT_FILE" ? file : nil }, lookUp: { _ in [address] })
    var before = 0
    for host in 0..<Self.hosts {
      let response = try await connections.send(
        TransportRequest(
          url: "https://h\(host).hosts.test:\(server.port)/", mayBePrivate: true, headSeconds: 30,
          idleSeconds: 30))
      #expect(response.status == 200)
      for try await _ in response.body {}
      if host == 20 { before = try Self.residentBytes() }
    }
    while server.openConnections > TransferLoop.idleConnections {
      try await Task.sleep(for: .milliseconds(5))
    }
    // The other tests of the process need memory meanwhile, so that only a long run tells.
    if TestSize.isLong { #expect(try Self.residentBytes() - before < 32 << 20) }
    await connections.close()
    try await server.stop()
  }
}
