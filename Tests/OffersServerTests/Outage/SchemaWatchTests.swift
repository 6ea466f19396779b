import HTTPTypes
import Hummingbird
import OffersCore
import Testing

@testable import OffersServer

@Suite("A database of a newer program")
struct SchemaWatchTests {
  @Test(
    "from the first failure on, every request is answered with the reason, that of the health check too"
  )
  func refuses() async throws {
    let home = try await ServedHome()
    let store = RemoteStore(home.database)
    let log = RecordedLog()
    try await home.ask(try home.server(log: log, store: store)) { client in
      #expect(try await client.get("health").status == 200)
      store.line.cut(.newerDatabase)
      for (method, path) in [
        (.get, "offers/ibotta:900117"), (.put, "offers/ibotta:900117/favorite"), (.get, "health"),
        (.get, "ready"), (.get, "/settings"), (.get, "/login"),
      ] as [(HTTPRequest.Method, String)] {
        let answer = try await client.write(method, path)
        #expect(answer.status == 503, "\(path)")
        #expect(answer.detail == "The database belongs to a newer version of the program.")
        #expect(answer.headers[.retryAfter] == "5")
        #expect(!answer.text.contains("db1"))
      }
      let page = try await client.send(.get, "/", headers: [.accept: "text/html"])
      #expect(page.status == 503)
      #expect(page.text.contains("newer version of the program"))
    }
    #expect(log.lines.filter { $0.hasPrefix("error the server ends") }.count == 1)
  }

  @Test("the server ends with the error, also if nobody asks it")
  func ends() async throws {
    let home = try await ServedHome(feeds: [])
    let store = RemoteStore(home.database)
    let server = try home.server(store: store, port: 0)
    let error = await #expect(throws: OffersError.self) {
      try await server.run(
        ConnectionDeadlines.Times(), ConnectionTable.Limits(), handlesSignals: false,
        schemaTimes: SchemaWatch.Times(interval: .milliseconds(10), notice: .zero)
      ) { _ in store.line.cut(.newerDatabase) }
    }
    #expect(error?.code == .newerDatabase)
  }

  @Test("a store that cannot be reached or used ends no server")
  func goesOn() async throws {
    let home = try await ServedHome(feeds: [])
    for code in [OffersError.Code.storeUnreachable, .storageFailed] {
      let store = RemoteStore(home.database)
      store.line.cut(code)
      let watch = SchemaWatch(store, logger: RecordedLog().logger)
      let checks = SchemaWatch.Checks(
        watch: watch, times: SchemaWatch.Times(interval: .zero, notice: .zero))
      let (checked, check) = AsyncStream.makeStream(of: Void.self)
      store.line.gate.withLock { $0 = { check.yield() } }
      let running = Task { try await checks.run() }
      var count = 0
      for await _ in checked {
        count += 1
        if count == 3 { break }
      }
      running.cancel()
      try await running.value
      #expect(watch.refusal == nil)
    }
  }
}
