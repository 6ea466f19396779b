import OffersCore
import Synchronization
import Testing

@testable import OffersServer

@Suite("Readiness")
struct ReadinessTests {
  @Test("a server is ready while its store can be reached, and alive in any case")
  func follows() async throws {
    let home = try await ServedHome(feeds: [])
    let store = RemoteStore(home.database)
    let client = try home.client(home.server(token: ServedHome.token, store: store.database))
    for _ in 1...2 {
      let ready = try await client.get("ready")
      #expect((ready.status, ready.text) == (200, #"{"status":"ok"}"#))
      #expect(ready.headers[.cacheControl] == "no-store")
      store.line.cut()
      let cut = try await client.get("ready")
      #expect(cut.status == 503)
      #expect(cut.detail == "The database cannot be reached.")
      #expect(cut.headers[.retryAfter] == "5")
      #expect(try cut.object["code"] as? String == "storeUnreachable")
      #expect(try await client.get("health").status == 200)
      #expect(try await client.send(.head, "ready").status == 503)
      store.line.mend()
    }
  }

  @Test(
    "the reason says what is wrong with the database, and not where it is",
    arguments: [
      (OffersError.Code.newerDatabase, "The database belongs to a newer version of the program."),
      (.storageFailed, "The database cannot be used."),
      (.invalidRequest, "The database cannot be used."),
    ])
  func reasons(code: OffersError.Code, reason: String) async throws {
    let home = try await ServedHome(feeds: [])
    let store = RemoteStore(home.database)
    store.line.cut(code)
    let client = try home.client(home.server(store: store.database))
    let answer = try await client.get("ready")
    #expect((answer.status, answer.detail) == (503, reason))
    #expect(!answer.text.contains("db1"))
  }

  @Test("a store that does not answer makes the server not ready in time, with one check for all")
  func hangs() async throws {
    let home = try await ServedHome(feeds: [])
    let store = RemoteStore(home.database)
    let (answers, hold) = AsyncStream.makeStream(of: Void.self)
    let begun = Mutex(0)
    store.line.gate.withLock {
      $0 = {
        begun.withLock { $0 += 1 }
        for await _ in answers {}
      }
    }
    let outage = StoreOutage(RecordedLog().logger)
    let readiness = Readiness(store.database, outage: outage, timeLimit: .zero)
    for _ in 1...3 {
      let problem = await #expect(throws: Problem.self) { try await readiness.confirm() }
      #expect(problem?.status == .serviceUnavailable)
      #expect(problem?.detail == "The database did not answer within two seconds.")
    }
    #expect(begun.withLock { $0 } <= 1)
    hold.finish()
    store.line.gate.withLock { $0 = nil }
    let patient = Readiness(store.database, outage: outage)
    try await patient.confirm()
  }

  @Test("the log tells of an outage that only the checks have seen, once, and of its end")
  func logs() async throws {
    let home = try await ServedHome(feeds: [])
    let store = RemoteStore(home.database)
    let log = RecordedLog()
    let readiness = Readiness(store.database, outage: StoreOutage(log.logger))
    store.line.cut()
    for _ in 1...3 { await #expect(throws: Problem.self) { try await readiness.confirm() } }
    store.line.mend()
    for _ in 1...2 { try await readiness.confirm() }
    #expect(log.lines.count == 2)
    #expect(log.lines.first?.hasPrefix("error the database cannot be reached") == true)
    #expect(log.lines.last == "notice the database can be reached again")
  }
}
