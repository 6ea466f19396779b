import Foundation
import Synchronization

/// A PostgreSQL server of the tests' own, with pgbouncer in front of it, which `Scripts/postgres-cluster`
/// runs in a temporary folder. It is started once for each process of tests and ends with it.
public final class TestCluster: Sendable {
  /// The way to a database.
  public enum Route: Sendable {
    /// The server's socket.
    case socket
    /// Loopback, with a password.
    case loopback(password: String)
    /// pgbouncer in transaction mode.
    case pooler
  }

  /// The folder of the sockets.
  public let folder: String
  /// The port of the server.
  public let port: Int
  private let poolerPort: Int
  /// The script, which runs as long as its standard input is open.
  private let script: Process
  private let commands: FileHandle
  private let answers: FileHandle
  private let lastNumber = Mutex(0)
  /// The idle processes that run statements, by their roles.
  private let psqls = Mutex<[String: [PsqlProcess]]>([:])

  /// The cluster of this process. The script is started by the first that asks.
  public static let shared = Task { try await onThread { try started.get() } }

  /// The cluster of this process, for tests that block their thread.
  public static let started = Result { try TestCluster([]) }

  /// Starts a cluster that ends when it is released, for a test that stops it.
  ///
  /// - Parameter settings: settings of the server, such as `synchronous_commit=on`.
  public static func start(_ settings: [String] = []) async throws -> TestCluster {
    try await onThread { try TestCluster(settings) }
  }

  /// Kills the server, as a crash does, or starts it again.
  public func setServer(isRunning: Bool) async throws {
    let command = isRunning ? "start" : "stop"
    // Their connections are lost.
    psqls.withLock { $0 = [:] }
    let answer = try await Self.onThread { [commands, answers] in
      try commands.write(contentsOf: Data("\(command)\n".utf8))
      return try Self.line(of: answers)
    }
    guard answer == command else { throw Failure(message: "\(command) failed: \(answer)") }
  }

  private init(_ settings: [String]) throws {
    script = Process()
    script.executableURL = URL(fileURLWithPath: Self.scriptPath)
    script.arguments = settings
    let (input, output) = (Pipe(), Pipe())
    script.standardInput = input
    script.standardOutput = output
    // Other child processes must not hold the pipe open after this process has died.
    for handle in [input.fileHandleForWriting, output.fileHandleForReading] {
      _ = fcntl(handle.fileDescriptor, F_SETFD, FD_CLOEXEC)
    }
    commands = input.fileHandleForWriting
    answers = output.fileHandleForReading
    try script.run()
    let parts = try Self.line(of: answers).split(whereSeparator: \.isWhitespace)
    guard parts.count == 3, let port = Int(parts[1]), let poolerPort = Int(parts[2]) else {
      throw Failure(message: "Scripts/postgres-cluster said: \(parts)")
    }
    folder = String(parts[0])
    self.port = port
    self.poolerPort = poolerPort
  }

  private static func line(of file: FileHandle) throws -> String {
    var line = Data()
    while true {
      let byte = file.readData(ofLength: 1)
      if byte.isEmpty { throw Failure(message: "Scripts/postgres-cluster failed.") }
      if byte == Data("\n".utf8) { return String(decoding: line, as: UTF8.self) }
      line += byte
    }
  }

  private static var scriptPath: String {
    var folder = URL(fileURLWithPath: #filePath).resolvingSymlinksInPath()
    for _ in 1...3 { folder.deleteLastPathComponent() }
    return folder.appendingPathComponent("Scripts/postgres-cluster").path
  }

  private struct Failure: Error, CustomStringConvertible {
    let message: String
    var description: String { message }
  }

  /// The URL of a database, as the role `offers`.
  public func url(of database: String, by route: Route = .socket) -> String {
    let socket = folder.replacingOccurrences(of: "/", with: "%2F")
    return switch route {
    case .socket: "postgres://offers@\(socket):\(port)/\(database)"
    case .loopback(let password): "postgres://offers:\(password)@127.0.0.1:\(port)/\(database)"
    case .pooler: "postgres://offers@\(socket):\(poolerPort)/\(database)"
    }
  }

  /// Creates a database, which is removed when the object is released.
  ///
  /// - Parameter template: the database of which it is a copy; nil for an empty one.
  public func makeDatabase(from template: String? = nil) async throws -> TestDatabase {
    try await Self.onThread { try self.makeDatabaseNow(from: template) }
  }

  /// Creates a database, as `makeDatabase(from:)` does, and blocks the thread meanwhile.
  public func makeDatabaseNow(from template: String? = nil) throws -> TestDatabase {
    let name = lastNumber.withLock { number in
      number += 1
      return "test_\(number)"
    }
    // Copying the files is faster than logging them, because the server does not wait for the disk.
    let copy = template.map { " TEMPLATE \($0)" } ?? ""
    _ = try runNow(
      "CREATE DATABASE \(name)\(copy) STRATEGY file_copy", in: "postgres", as: "offers")
    return TestDatabase(name: name, cluster: self)
  }

  /// Creates a database from which others are copied, once it is prepared.
  ///
  /// - Parameter prepare: fills the database with a URL, and closes its connections.
  /// - Returns: the name of the database.
  public func makeTemplate(
    _ name: String, _ prepare: (_ url: String) async throws -> Void
  ) async throws -> String {
    try await run("CREATE DATABASE \(name)")
    try await prepare(url(of: name))
    // A database is copied only while nobody uses it.
    try await run("ALTER DATABASE \(name) ALLOW_CONNECTIONS false", as: "postgres")
    try await run(
      "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE datname = '\(name)'",
      as: "postgres")
    return name
  }

  /// Runs SQL by psql and returns its output, a line a row, with bars between the columns.
  ///
  /// - Parameters:
  ///   - sql: the statements, each a transaction of its own.
  ///   - database: the database to run it in.
  ///   - role: the role that runs it.
  @discardableResult
  public func run(
    _ sql: String, in database: String = "postgres", as role: String = "offers"
  ) async throws -> String {
    try await Self.onThread { try self.runNow(sql, in: database, as: role) }
  }

  fileprivate func runNow(_ sql: String, in database: String, as role: String) throws -> String {
    let idle = psqls.withLock { $0[role]?.popLast() }
    let psql =
      try idle ?? PsqlProcess("\(folder)/psql", folder: folder, port: port, role: role)
    let answer = try psql.run(sql, in: database, as: role)
    psqls.withLock { $0[role, default: []].append(psql) }
    return answer
  }

  /// Runs work that waits on a thread that is not one of the concurrency pool.
  private static func onThread<Result: Sendable>(
    _ body: @escaping @Sendable () throws -> Result
  ) async throws -> Result {
    try await withCheckedThrowingContinuation { continuation in
      DispatchQueue.global().async { continuation.resume(with: Swift.Result(catching: body)) }
    }
  }
}

/// A database that a test has for itself.
public final class TestDatabase: Sendable {
  public let name: String
  public let cluster: TestCluster

  fileprivate init(name: String, cluster: TestCluster) {
    self.name = name
    self.cluster = cluster
  }

  deinit {
    let (name, cluster) = (name, cluster)
    DispatchQueue.global().async {
      // A database that remains is removed with the cluster.
      _ = try? cluster.runNow(
        "DROP DATABASE \(name) WITH (FORCE)", in: "postgres", as: "postgres")
    }
  }

  /// The URL of the database, by its socket unless there is another route.
  public func url(by route: TestCluster.Route = .socket) -> String {
    cluster.url(of: name, by: route)
  }

  /// Runs a statement in the database by psql; see `TestCluster.run`.
  @discardableResult
  public func run(_ sql: String, as role: String = "offers") async throws -> String {
    try await cluster.run(sql, in: name, as: role)
  }
}
