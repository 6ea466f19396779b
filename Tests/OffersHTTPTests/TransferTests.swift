import OffersCore
import OffersPlatform
import OffersTestSupport
import Synchronization
import Testing

@testable import OffersHTTP
@testable import OffersSync

@Suite("Transfers of the HTTP client")
struct TransferTests {
  private static func request(
    _ url: String, headers: [HeaderField] = [], headSeconds: Double = 20, idleSeconds: Double = 20
  ) throws -> TransportRequest {
    try TransportRequest(
      url: url, headers: headers, mayBePrivate: true, headSeconds: headSeconds,
      idleSeconds: idleSeconds)
  }

  /// Sends a request to a server that answers by a script, and returns the response and its whole body.
  private static func receive(
    _ steps: [ScriptedServer.Step], headSeconds: Double = 20, idleSeconds: Double = 20
  ) async throws -> (head: TransportResponse, body: String) {
    let server = try ScriptedServer(steps)
    let connections = HTTPConnections(environment: { _ in nil })
    let response = try await connections.send(
      request(server.url(), headSeconds: headSeconds, idleSeconds: idleSeconds))
    var body: [UInt8] = []
    for try await piece in response.body {
      #expect(!piece.isEmpty)
      body += piece
    }
    return (response, String(decoding: body, as: UTF8.self))
  }

  private static func failure(
    _ steps: [ScriptedServer.Step], headSeconds: Double = 20, idleSeconds: Double = 20
  ) async -> TransportFailure.Reason? {
    let error = await #expect(throws: TransportFailure.self) {
      try await receive(steps, headSeconds: headSeconds, idleSeconds: idleSeconds)
    }
    return error?.reason
  }

  @Test("the head keeps its order, its reason and repeated fields; interim responses are skipped")
  func heads() async throws {
    let (head, body) = try await Self.receive([
      .text(
        "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 404 Not Found here\r\nB: 1\r\n"
          + "a:  2 \r\nB: 3\r\n folded\r\nEmpty:\r\nContent-Length: 3\r\n\r\nTea")
    ])
    #expect(head.status == 404)
    #expect(head.reason == "Not Found here")
    let fields = head.headers.map { "\($0.name)=\($0.value)" }
    #expect(fields == ["B=1", "a=2", "B=3 folded", "Empty=", "Content-Length=3"])
    #expect(body == "Tea")
  }

  @Test(
    "bodies are read as their framing says",
    arguments: [
      ("HTTP/1.0 200 OK\r\n\r\nTea", "Tea"),
      ("HTTP/1.1 200\r\nContent-Length: 3\r\n\r\nTea, and more", "Tea"),
      (
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nTe\r\n1;x=y\r\na\r\n0\r\nT: 1\r\n\r\n",
        "Tea"
      ),
      ("HTTP/1.1 204 No Content\r\n\r\n", ""), ("HTTP/1.1 304 Not Modified\r\nETag: x\r\n\r\n", ""),
    ])
  func bodies(text: String, body: String) async throws {
    #expect(try await Self.receive([.text(text)]).body == body)
  }

  @Test(
    "what is no response, or only the beginning of one, is told apart",
    arguments: [
      ("", TransportFailure.Reason.closedEarly), ("<html>", .invalidResponse),
      ("HTTP/1.1 OK\r\n\r\n", .invalidResponse),
      ("HTTP/1.1 200 OK\r\nno colon\r\n\r\n", .invalidResponse),
      ("HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n", .invalidResponse),
      ("HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n", .invalidResponse),
      ("HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nTea", .invalidResponse),
      ("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nTea", .closedEarly),
      ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nTea", .invalidResponse),
      ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nTea\r\n", .closedEarly),
      ("HTTP/1.1 200 OK\r\nA: " + String(repeating: "a", count: 90_000) + "\r\n", .oversizedHead),
      ("HTTP/1.1 200 OK\r\nA: " + String(repeating: "a", count: 200_000), .oversizedHead),
    ])
  func failures(text: String, reason: TransportFailure.Reason) async {
    #expect(await Self.failure([.text(text)]) == reason)
  }

  @Test("many short fields are an oversized head, too")
  func manyFields() async {
    let fields = String(repeating: "A: 1\r\n", count: 20_000)
    #expect(
      await Self.failure([.text("HTTP/1.1 200 OK\r\n\(fields)\r\nTea")]) == .oversizedHead)
  }

  @Test("without a head in time there is no answer; a body that stops has stalled")
  func timeouts() async {
    #expect(await Self.failure([.silence], headSeconds: 0.2) == .noAnswer)
    #expect(await Self.failure([.silence], idleSeconds: 0.2) == .noAnswer)
    let head = Array("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nTea".utf8)
    let stopped = ScriptedServer.Step.drip([], after: head, pauseMilliseconds: 20)
    #expect(await Self.failure([stopped], headSeconds: 0.1, idleSeconds: 0.2) == .stalled)
  }

  @Test("nobody listens: the server cannot be reached")
  func unreachable() async throws {
    let connections = HTTPConnections(environment: { _ in nil })
    let error = await #expect(throws: TransportFailure.self) {
      try await connections.send(Self.request("http://127.0.0.1:1/"))
    }
    #expect(error?.reason == .unreachable)
  }

  @Test("a field that would begin another line is not sent")
  func injections() async throws {
    let connections = HTTPConnections(environment: { _ in nil })
    for field in [HeaderField("a", "1\r\nb: 2"), HeaderField("a:b", "1"), HeaderField("", "1")] {
      await #expect(throws: TransportFailure.self) {
        try await connections.send(Self.request("http://127.0.0.1:1/", headers: [field]))
      }
    }
  }

  @Test("the head of a request has its fields, and none of libcurl's own")
  func requests() async throws {
    let server = try ScriptedServer([.answer("200 OK", [], "")])
    let connections = HTTPConnections(environment: { _ in nil })
    _ = try await connections.send(
      Self.request(
        server.url("/a/../b?c=%20d"), headers: [HeaderField("x-a", "1"), HeaderField("x-b", "")]))
    #expect(
      server.requests == [
        "GET /a/../b?c=%20d HTTP/1.1\r\nHost: 127.0.0.1:\(server.port)\r\nx-a: 1\r\nx-b:\r\n\r\n"
      ])
  }

  @Test("a reader that is behind holds the sender back, and gets all bytes when it goes on")
  func backPressure() async throws {
    let count = 32 << 20
    let server = try FloodServer(bytes: count)
    let connections = HTTPConnections(environment: { _ in nil })
    let response = try await connections.send(Self.request(server.url))
    // The sender stops: the client's buffer and those of the two sockets are full.
    let held = try await server.waitUntilHeld()
    #expect(held < count / 2)
    var received = 0
    for try await piece in response.body { received += piece.count }
    #expect(received == count)
  }

  @Test("a sender that sends little at a time is held back, too")
  func steadySender() async throws {
    let server = try FloodServer(bytes: 2 << 20, pieceBytes: 8 << 10, pauseMicroseconds: 300)
    let request = try Self.request(server.url)
    let loop = TransferLoop(connectionsPerHost: 1)
    defer { loop.startClosing() }
    let transfer = ResponseStream()
    _ = try await transfer.fetchHead { loop.start(transfer, Self.plan(request)) }
    _ = try await server.waitUntilHeld()
    #expect(transfer.unreadBytes <= ResponseStream.mostBytes + (64 << 10))
  }

  @Test("a body that nobody reads any more ends its connection")
  func droppedBodies() async throws {
    let server = try FloodServer(bytes: 32 << 20)
    let connections = HTTPConnections(environment: { _ in nil })
    for try await _ in try await connections.send(Self.request(server.url)).body { break }
    try await server.waitUntilClosed()
  }

  @Test("a cancelled task ends its request, before the head and within the body")
  func cancellations() async throws {
    for isWithinBody in [false, true] {
      let server = try FloodServer(bytes: isWithinBody ? 32 << 20 : 0)
      let connections = HTTPConnections(environment: { _ in nil })
      let task = Task {
        let response = try await connections.send(Self.request(server.url))
        for try await _ in response.body { try await Task.sleep(for: .milliseconds(1)) }
      }
      try await server.waitUntilAsked()
      task.cancel()
      await #expect(throws: CancellationError.self) { try await task.value }
      try await server.waitUntilClosed()
    }
  }

  @Test("after the end of the connections, requests fail")
  func closed() async throws {
    let server = try ScriptedServer([.answer("200 OK", [], "Tea")])
    let connections = HTTPConnections(environment: { _ in nil })
    await connections.close()
    await #expect(throws: TransportFailure.self) {
      try await connections.send(Self.request(server.url()))
    }
    #expect(server.requests.isEmpty)
  }

  @Test("an address that was checked at its look-up is checked again when it is connected to")
  func openSocket() async throws {
    let server = try ScriptedServer([.answer("200 OK", [], "Tea")])
    let request = try TransportRequest(url: "http://shop.example:\(server.port)/")
    // A plan whose look-up was passed over, as by a name that changed since.
    let plan = Self.plan(request, [try #require(NetworkAddress("127.0.0.1"))])
    let loop = TransferLoop(connectionsPerHost: 1)
    defer { loop.startClosing() }
    let error = await #expect(throws: OffersError.self) {
      try await Self.status(of: plan, by: loop)
    }
    #expect(error?.message.contains("leads to a private network") == true)
    #expect(server.requests.isEmpty)
  }

  @Test("a kept connection to a private address carries no request that must not go there")
  func keptConnection() async throws {
    let server = try ScriptedServer([
      .inTurn([
        .text("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nTea"),
        .text("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nJam"),
      ])
    ])
    let loop = TransferLoop(connectionsPerHost: 1)
    defer { loop.startClosing() }
    let addresses = [try #require(NetworkAddress("127.0.0.1"))]
    let url = "http://shop.example:\(server.port)/"
    #expect(
      try await Self.status(of: Self.plan(Self.request(url), addresses), by: loop) == 200)
    let error = await #expect(throws: OffersError.self) {
      try await Self.status(of: Self.plan(TransportRequest(url: url), addresses), by: loop)
    }
    #expect(error?.message.contains("leads to a private network") == true)
    #expect(server.requests.count == 1)
  }

  @Test("a request that is cancelled does not wait for the look-up of its name")
  func hangingLookUp() async throws {
    let connections = HTTPConnections(
      environment: { _ in nil },
      lookUp: { _ in
        try await Task.sleep(for: .seconds(600))
        return []
      })
    let task = Task { try await connections.send(Self.request("http://shop.example/")) }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
  }

  @Test("a name and a password in a URL are sent to nobody")
  func credentials() async throws {
    let server = try ScriptedServer([.answer("200 OK", [], "Tea")])
    let connections = HTTPConnections(environment: { _ in nil })
    await #expect(throws: TransportFailure.self) {
      try await connections.send(Self.request("http://me:secret@127.0.0.1:\(server.port)/"))
    }
    #expect(server.requests.isEmpty)
  }

  /// The plan of a direct connection.
  private static func plan(
    _ request: TransportRequest, _ addresses: [NetworkAddress] = []
  ) -> TransferPlan {
    TransferPlan(
      request: request, begun: .now, proxy: nil, addresses: addresses, certificates: nil)
  }

  /// The status of a response, whose body is read to its end.
  private static func status(
    of plan: TransferPlan, by loop: TransferLoop
  ) async throws -> Int {
    let transfer = ResponseStream()
    let head = try await transfer.fetchHead { loop.start(transfer, plan) }
    while try await transfer.nextPiece({ loop.resume(transfer) }) != nil {}
    return head.status
  }

  @Test("a proxy's refusals are told apart")
  func proxies() async throws {
    for (answer, reason) in [
      ("407 Login", TransportFailure.Reason.proxyLogin), ("403 No", .proxyRefusal),
    ] {
      let proxy = try ScriptedServer([.answer(answer, [], "")])
      let connections = HTTPConnections(
        environment: { $0 == "all_proxy" ? "http://me:secret@127.0.0.1:\(proxy.port)" : nil })
      let error = await #expect(throws: TransportFailure.self) {
        try await connections.send(Self.request("https://shop.example/"))
      }
      #expect(error?.reason == reason)
      #expect(proxy.requests.first?.contains("Proxy-Authorization: Basic bWU6c2VjcmV0") == true)
    }
  }

  @Test("a proxy that cannot be read is not shown: it may have a password")
  func hidesPasswords() async throws {
    let connections = HTTPConnections(
      environment: { $0 == "all_proxy" ? "http://me:secret@[::1" : nil })
    let error = await #expect(throws: TransportFailure.self) {
      try await connections.send(Self.request("https://shop.example/"))
    }
    #expect(error?.reason == .unreachable)
    #expect(!"\(String(describing: error))".contains("secret"))
  }
}
