import Foundation
import OffersCore
import OffersTestSupport
import Synchronization
import Testing

@testable import OffersPostgres

@Suite("Connections to PostgreSQL", .timeLimit(.minutes(2)))
struct ConnectionTests {
  /// A database with one table, and a second way to look at it.
  private struct Home {
    let made: TestDatabase
    let database: Database

    init(_ route: TestCluster.Route = .socket) async throws {
      made = try await TestCluster.shared.value.makeDatabase()
      try await made.run(
        """
        CREATE TABLE note (text TEXT PRIMARY KEY);
        CREATE TABLE commit_count (shard INT, number INT)
        """)
      database = Database(try DatabaseURL(made.url(by: route)), readerLimit: 2, writerLimit: 2)
    }

    func notes() async throws -> String {
      try await made.run("SELECT string_agg(text, ',' ORDER BY text) FROM note")
    }

    /// The number of processes of the server that run a statement with a mark.
    func count(running mark: String) async throws -> String {
      try await made.cluster.run(
        """
        SELECT count(*) FROM pg_stat_activity WHERE datname = '\(made.name)'
          AND state = 'active' AND pid <> pg_backend_pid() AND query LIKE '%\(mark)%'
        """, as: "postgres")
    }

    func wait(until mark: String, is count: String) async throws {
      while try await self.count(running: mark) != count {
        try await Task.sleep(for: .milliseconds(20))
      }
    }

    /// Ends the processes of the server whose last statement has a mark, as a crash does, and waits until
    /// they have ended.
    func kill(_ mark: String) async throws {
      try await made.cluster.run(
        """
        SELECT pg_terminate_backend(pid, 60000) FROM pg_stat_activity WHERE datname = '\(made.name)'
          AND pid <> pg_backend_pid() AND query LIKE '%\(mark)%'
        """, as: "postgres")
    }
  }

  /// Numbers that several tasks add.
  private final class Numbers: Sendable {
    private let list = Mutex<[Int]>([])

    var all: [Int] { list.withLock(\.self) }

    /// Adds a number and returns how many there are.
    @discardableResult
    func add(_ number: Int) -> Int {
      list.withLock { list in
        list.append(number)
        return list.count
      }
    }
  }

  @Test("operations wait for the open connections if the server accepts no further one")
  func waitsAtTheLimit() async throws {
    let home = try await Home()
    let role = "few_\(home.made.name)"
    try await home.made.run("CREATE ROLE \(role) LOGIN CONNECTION LIMIT 1", as: "postgres")
    let url = home.made.url().replacing("offers@", with: "\(role)@")
    let database = Database(try DatabaseURL(url), readerLimit: 3)
    defer { database.close() }
    let answers = try await withThrowingTaskGroup(of: Int64?.self) { group in
      for number in 1...6 {
        group.addTask {
          try await database.read { connection in
            try connection.rows("SELECT \(number)::bigint, pg_sleep(0.05)").first?.number(0)
          }
        }
      }
      return try await group.reduce(into: Set()) { $0.insert($1) }
    }
    #expect(answers == Set(1...6))
  }

  @Test("every kind of value is bound and read exactly, empty and NULL ones too")
  func values() async throws {
    let home = try await Home()
    var flags = ArrayParameter(.bool)
    flags.append(.flag(true))
    var reals = ArrayParameter(.float8)
    for real in [0.1, nil, -.infinity] { reals.append(.real(real)) }
    let texts = ["", "É\u{301}", "a'b\\\"{},", String(repeating: "x", count: 100_000)]
    let read = try await home.database.read { [flags, reals] connection in
      let row = try connection.rows(
        """
        SELECT $1::bigint, $2::float8, $3::text, $4::bytea, $5::text[] = $6::text[], $7::text,
          ($8::bool[])[1], ($9::float8[])[1], ($9::float8[])[2], cardinality($10::bigint[])
        """,
        [
          .number(.min), Parameter(.real(0.1)), .text(""), Parameter(.bytes([0, 255])),
          .texts(texts), .texts(texts), .text(nil), Parameter(flags), Parameter(reals),
          .numbers([]),
        ])[0]
      return [
        row.number(0) == .min, row.findReal(1) == 0.1, row.findText(2) == "",
        row.findBytes(3).map { Array($0) } == [0, 255], row.flag(4), row.findText(5) == nil,
        row.flag(6), row.findReal(7) == 0.1, row.findReal(8) == nil, row.number(9) == 0,
      ]
    }
    #expect(read == [Bool](repeating: true, count: 10))
  }

  @Test(
    "a statement is prepared once for its types on a direct connection, and through a pooler never",
    arguments: [(TestCluster.Route.socket, 2), (.pooler, 0)])
  func prepared(_ route: TestCluster.Route, _ count: Int) async throws {
    let home = try await Home(route)
    let values: [(Parameter, String?)] = [
      (.text("a"), "ab"), (.number(7), "7b"), (.text(nil), nil), (.text("c"), "cb"),
    ]
    for (value, text) in values {
      // The first statement of a transaction that fails.
      await #expect(throws: OffersError.self) {
        try await home.database.write { connection in
          _ = try connection.rows(prepared: "SELECT $1 || 'b'", [value])
          try connection.run("SELECT 1 / 0")
        }
      }
      let found = try await home.database.write(isKept: false) { connection in
        try connection.rows(prepared: "SELECT $1 || 'b'", [value]).map { $0.findText(0) }
      }
      #expect(found == [text])
    }
    let prepared = try await home.database.write(isKept: false) { connection in
      try connection.rows("SELECT count(*) FROM pg_prepared_statements")[0].number(0)
    }
    #expect(prepared == Int64(count))
  }

  @Test("a statement that the server has forgotten is run again, and then not prepared any more")
  func forgotten() async throws {
    let home = try await Home()
    for step in 1...4 {
      let found = try await home.database.write { connection in
        _ = try connection.rows(prepared: "SELECT $1::bigint + 1", [.number(1)])
        try connection.run("INSERT INTO note VALUES ('\(step)')")
        if step == 2 { try connection.script("DEALLOCATE ALL") }
        return try connection.rows(prepared: "SELECT $1::bigint + 1", [.number(1)])[0].number(0)
      }
      #expect(found == 2)
    }
    #expect(try await home.notes() == "1,2,3,4")
  }

  @Test("a text with U+0000 is refused, in an array as well")
  func nul() async throws {
    let home = try await Home()
    for isArray in [false, true] {
      let error = await #expect(throws: OffersError.self) {
        try await home.database.write { connection in
          _ = try connection.run("SELECT $1", [isArray ? .texts(["a", "\0"]) : .text("a\0b")])
        }
      }
      #expect(error?.code == .invalidRequest && error?.message.contains("U+0000") == true)
    }
  }

  @Test(
    "a cancelled task cancels its statement on the server, and its change is rolled back",
    arguments: [false, true])
  func cancels(isPooled: Bool) async throws {
    let home = try await Home(isPooled ? .pooler : .socket)
    let task = Task {
      _ = try await home.database.write { connection in
        try connection.run("INSERT INTO note VALUES ('half')")
        try connection.run("SELECT pg_sleep(100) /* cancelled */")
      }
    }
    try await home.wait(until: "cancelled", is: "1")
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    try await home.wait(until: "cancelled", is: "0")
    #expect(try await home.notes() == "")
    // The connection goes on.
    _ = try await home.database.write { try $0.run("INSERT INTO note VALUES ('whole')") }
    #expect(try await home.notes() == "whole")
  }

  @Test("a cancelled read ends although the server does not end its statement")
  func cancelsHanging() async throws {
    let home = try await Home()
    let (processes, begun) = AsyncStream.makeStream(of: Int32.self)
    let task = Task {
      try await home.database.read { connection in
        let process = try connection.rows("SELECT pg_backend_pid()").first?.number(0)
        begun.yield(Int32(process ?? 0))
        _ = try connection.rows("SELECT pg_sleep(100) /* hanging */")
      }
    }
    var process: Int32 = 0
    for await begun in processes {
      process = begun
      break
    }
    try await home.wait(until: "hanging", is: "1")
    try #require(process > 0 && kill(process, SIGSTOP) == 0)
    defer { kill(process, SIGCONT) }
    // A sleep is late on a busy machine, as the read is.
    let isTimely = await withTaskGroup(of: Bool.self) { group in
      group.addTask {
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        return true
      }
      group.addTask {
        try? await Task.sleep(for: .seconds(5))
        return false
      }
      defer { group.cancelAll() }
      return await group.next()
    }
    #expect(isTimely == true)
    // Another connection goes on.
    #expect(try await home.database.read { try $0.rows("SELECT 1::bigint").count } == 1)
  }

  @Test("an operation that waits for a connection can be cancelled; the others go on")
  func waits() async throws {
    let home = try await Home()
    let order = Numbers()
    let slow = (1...2).map { _ in
      Task { try await home.database.read { _ = try $0.rows("SELECT pg_sleep(100) /* slow */") } }
    }
    try await withThrowingTaskGroup { group in
      try await home.wait(until: "slow", is: "2")
      let waiting = Task { try await home.database.read { _ in } }
      for number in 1...4 {
        group.addTask {
          try await home.database.read { _ in _ = order.add(number) }
        }
        try await Task.sleep(for: .milliseconds(30))
      }
      waiting.cancel()
      await #expect(throws: CancellationError.self) { try await waiting.value }
      #expect(order.all == [])
      for read in slow { read.cancel() }
      try await group.waitForAll()
    }
    #expect(order.all.sorted() == [1, 2, 3, 4])
    #expect(order.all[0] <= 2)
  }

  @Test("reads have connections of their own, at most as many as the limit")
  func bounds() async throws {
    let home = try await Home()
    try await withThrowingTaskGroup { group in
      for _ in 1...2 {
        group.addTask {
          try await home.database.write { _ = try $0.rows("SELECT pg_sleep(0.7) /* busy */") }
        }
      }
      try await home.wait(until: "busy", is: "2")
      for _ in 1...20 { group.addTask { try await home.database.read { _ in } } }
      try await group.waitForAll()
    }
    let count = try await home.made.cluster.run(
      "SELECT count(*) FROM pg_stat_activity WHERE datname = '\(home.made.name)'", as: "postgres")
    let limits = 3...4
    #expect(limits.contains(Int(count) ?? 0))
  }

  @Test("a read whose connection is lost is made again, and so is a change before its commit")
  func retries() async throws {
    let home = try await Home()
    for writes in [false, true] {
      let calls = Numbers()
      let body: @Sendable (Connection) throws -> Void = { connection in
        let number = calls.add(0)
        if writes { try connection.run("INSERT INTO note VALUES ('again')") }
        if number == 1 { try connection.run("SELECT pg_sleep(100) /* lost */") }
      }
      let task = Task {
        if writes {
          try await home.database.write(body)
        } else {
          try await home.database.read(body)
        }
      }
      try await home.wait(until: "lost", is: "1")
      try await home.kill("lost")
      try await task.value
      #expect(calls.all.count == 2)
    }
    #expect(try await home.notes() == "again")
  }

  @Test("an idle connection that was lost is replaced")
  func replaces() async throws {
    let home = try await Home()
    for _ in 1...3 {
      _ = try await home.database.write { try $0.run("DELETE FROM note") }
      try await home.database.read { _ in }
      try await home.kill("")
      _ = try await home.database.write { try $0.run("INSERT INTO note VALUES ('here')") }
      try await home.database.read { _ in }
    }
    #expect(try await home.notes() == "here")
  }

  /// Makes commits wait, in a trigger that runs at their time, until there is a table `go`.
  private static func stallCommits(of home: Home) async throws {
    try await home.made.run(
      """
      CREATE FUNCTION stall() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN
        IF to_regclass('go') IS NULL THEN PERFORM pg_sleep(100); END IF;
        RETURN NULL;
      END $$
      """)
    try await home.made.run(
      """
      CREATE CONSTRAINT TRIGGER stall AFTER INSERT ON note DEFERRABLE INITIALLY DEFERRED
      FOR EACH ROW EXECUTE FUNCTION stall()
      """)
  }

  @Test("a connection that is lost during a commit leaves the outcome unknown, as the error says")
  func unknownOutcome() async throws {
    let home = try await Home()
    try await Self.stallCommits(of: home)
    let task = Task {
      _ = try await home.database.write { try $0.run("INSERT INTO note VALUES ('perhaps')") }
    }
    try await home.wait(until: "COMMIT", is: "1")
    try await home.kill("COMMIT")
    let error = await #expect(throws: OffersError.self) { try await task.value }
    #expect(error?.code == .storeUnreachable)
    #expect(error?.message.contains("may or may not have been stored") == true)
    #expect(error?.hint?.text.contains("Repeat it") == true)
  }

  @Test("a change that may be repeated is repeated when its commit is not confirmed, once")
  func repeats() async throws {
    let home = try await Home()
    try await Self.stallCommits(of: home)
    func write() -> Task<Void, any Error> {
      Task {
        _ = try await home.database.write(isRepeatable: true) { connection in
          try connection.run("INSERT INTO note VALUES ('sure') ON CONFLICT DO NOTHING")
          try connection.run("UPDATE note SET text = text")
        }
      }
    }
    let lost = write()
    for _ in 1...2 {
      try await home.wait(until: "COMMIT", is: "1")
      try await home.kill("COMMIT")
    }
    let error = await #expect(throws: OffersError.self) { try await lost.value }
    #expect(error?.message.contains("may or may not have been stored") == true)
    let repeated = write()
    try await home.wait(until: "COMMIT", is: "1")
    try await home.made.run("CREATE TABLE go ()")
    try await home.kill("COMMIT")
    try await repeated.value
    #expect(try await home.notes() == "sure")
  }

  @Test("the changes of a failed operation are rolled back, and the server's reason is told")
  func rollsBack() async throws {
    let home = try await Home()
    let error = await #expect(throws: OffersError.self) {
      _ = try await home.database.write { connection in
        try connection.run("INSERT INTO note VALUES ('a')")
        try connection.run("INSERT INTO note VALUES ('a')")
      }
    }
    #expect(error?.message.contains("duplicate key value") == true)
    #expect(error?.cause?.hasPrefix("23505") == true)
    #expect(try await home.notes() == "")
  }

  @Test("a closed database refuses its operations")
  func closes() async throws {
    let home = try await Home()
    try await home.database.read { _ in }
    home.database.close()
    let error = await #expect(throws: OffersError.self) { try await home.database.read { _ in } }
    #expect(error?.code == .invalidRequest)
  }
}
