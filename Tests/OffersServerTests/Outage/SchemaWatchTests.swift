import Hummingbird
import OffersCore
import Testing

@testable import OffersServer

@Suite("A database of a newer program")
struct SchemaWatchTests {
  @Test("a request is answered with the reason, which names no place")
  func refuses() async throws {
    let home = try await ServedHome()
    let store = RemoteStore(home.database)
    let client = try home.client(home.server(store: store.database))
    store.line.cut(.newerDatabase)
    for (method, path) in [
      (.get, "offers/ibotta:900117"), (.put, "offers/ibotta:900117/favorite"),
      (.get, "ready"), (.get, "/settings"),
    ] as [(HTTPRequest.Method, String)] {
      let answer = try await client.write(method, path)
      #expect(answer.status == 503, "\(path)")
      #expect(answer.detail == "The database belongs to a newer version of the program.")
      #expect(answer.headers[.retryAfter] == "5")
      #expect(!answer.text.contains("db1"))
    }
    let page = try await client.page("/")
    #expect(page.status == 503)
    #expect(page.text.contains("newer version of the program"))
  }

  @Test("the server ends with the error, also if nobody asks it")
  func ends() async throws {
    let home = try await ServedHome(feeds: [])
    let store = RemoteStore(home.database)
    let log = RecordedLog()
    let server = try home.server(log: log, store: store.database, port: 0)
    let error = await #expect(throws: OffersError.self) {
      try await server.run(
        ConnectionDeadlines.Times(), ConnectionTable.Limits(), handlesSignals: false,
        schemaInterval: .milliseconds(10)
      ) { _ in store.line.cut(.newerDatabase) }
    }
    #expect(error?.code == .newerDatabase)
    #expect(log.lines.filter { $0.hasPrefix("error the server ends") }.count == 1)
  }

  @Test("a store that cannot be reached or used ends no server")
  func goesOn() async throws {
    let home = try await ServedHome(feeds: [])
    for code in [OffersError.Code.storeUnreachable, .storageFailed] {
      let store = RemoteStore(home.database)
      store.line.cut(code)
      let watch = SchemaWatch(store: store.database, logger: RecordedLog().logger, interval: .zero)
      let (checked, check) = AsyncStream.makeStream(of: Void.self)
      store.line.gate.withLock { $0 = { check.yield() } }
      let running = Task { try await watch.run() }
      var count = 0
      for await _ in checked {
        count += 1
        if count == 3 { break }
      }
      running.cancel()
      try await running.value
    }
  }
}
