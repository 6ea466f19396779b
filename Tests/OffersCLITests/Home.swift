import ChildProcesses
import Foundation
import GRDB
import OffersCore
import OffersTestSupport
import TestStores
import Testing

@testable import OffersSQLite

/// An offer as the tests' feeds encode it.
struct FeedItem: Codable {
  var id: String?
  var name: String?
  var description: String?
  var terms: String?
  var reward: String?
  var url: String?

  private enum CodingKeys: String, CodingKey {
    case id, name, description, terms, url
    case reward = "current_value"
  }

  init(
    _ id: String?, _ name: String?, _ reward: String? = "$1.00 Cash Back",
    description: String? = nil, terms: String? = nil, image: String? = nil
  ) {
    self.id = id
    self.name = name
    self.description = description
    self.terms = terms
    self.reward = reward
    url = image
  }
}

/// A user's machine as the program sees it: a home folder, feeds in files, and one database.
struct Home {
  let folder: TemporaryFolder
  let store: TestStore

  init() throws {
    folder = try TemporaryFolder()
    store = try TestStore(in: folder)
  }

  /// The path or the URL of the database.
  var database: String { store.address }

  /// Creates a home that has synced a feed.
  init(synced items: [FeedItem]) async throws {
    try self.init()
    let result = try await call("sync", "--quiet", "--from", feed(items))
    guard result.status == 0 else { throw Unexpected(result.errors) }
  }

  /// Creates a home of the users owner and ben, with three offers.
  static func ofTwo() async throws -> Home {
    let home = try await Home(synced: [
      FeedItem("1", "Tea"), FeedItem("2", "Jam"), FeedItem("3", "Milk"),
    ])
    let result = try await home.call("user", "add", "ben")
    guard result.status == 0 else { throw Unexpected(result.errors) }
    return home
  }

  struct Unexpected: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
  }

  /// Writes a feed and returns its path.
  func feed(_ items: [FeedItem], named name: String = "feed.json") throws -> String {
    try folder.write(try JSONEncoder().encode(items), to: name)
  }

  /// The environment of each run: the home folder and the database in it.
  var environment: [String: String] { ["HOME": folder.path, "OFFERS_DATABASE": database] }

  /// Runs a command on this home's database, in the process of the tests.
  @discardableResult
  func call(
    _ arguments: [String], input: String = "", with variables: [String: String] = [:]
  ) async throws -> OffersProgram.Result {
    try await OffersProgram.call(
      arguments, environment: environment.merging(variables) { $1 }, input: input)
  }

  @discardableResult
  func call(_ arguments: String..., input: String = "") async throws -> OffersProgram.Result {
    try await call(arguments, input: input)
  }

  /// Runs a command, and expects its exit code, and that its messages have these texts.
  @discardableResult
  func expect(
    _ arguments: [String], status: Int32 = 0, says texts: [String] = [], output: String? = nil,
    with variables: [String: String] = [:], input: String = "",
    at place: SourceLocation = #_sourceLocation
  ) async throws -> OffersProgram.Result {
    try await OffersProgram.expect(
      arguments, environment: environment.merging(variables) { $1 }, status: status, says: texts,
      output: output, input: input, at: place)
  }

  @discardableResult
  func expect(
    _ arguments: String..., status: Int32 = 0, says texts: [String] = [], output: String? = nil,
    input: String = "", at place: SourceLocation = #_sourceLocation
  ) async throws -> OffersProgram.Result {
    try await expect(
      arguments, status: status, says: texts, output: output, input: input, at: place)
  }

  /// Runs a command with `--json` in the process of the tests, and returns the parsed document.
  func callDocument(_ arguments: [String]) async throws -> [String: Any] {
    try Self.parse(try await call(arguments + ["--json"]).output)
  }

  func callDocument(_ arguments: String...) async throws -> [String: Any] {
    try await callDocument(arguments)
  }

  /// Runs a command with `--json`, and returns the objects in a list of its document.
  func objects(_ member: String, _ arguments: String...) async throws -> [[String: Any]] {
    let list = try await callDocument(arguments)[member] as? [[String: Any]]
    guard let list else { throw Unexpected("no list of \(member)") }
    return list
  }

  /// Writes a file of definitions with one feed, and returns its path.
  @discardableResult
  func define(_ feed: String, from source: String, _ members: String) throws -> String {
    try folder.write(
      "feeds: {\(feed): {source: \"\(source)\", id: id, \(members)}}\n", to: "feeds.yaml")
  }

  /// The feed of a name in the document of a command, such as `feeds` or `status`.
  func feed(_ name: String, of command: String) async throws -> [String: Any] {
    let found = try await objects("feeds", command).first { $0["name"] as? String == name }
    guard let found else { throw Unexpected("no feed \(name)") }
    return found
  }

  /// The values of a column of a list.
  func column(_ name: String, _ words: [String] = []) async throws -> [String] {
    let list = try await expect(["list", "--columns", name, "--format", "tsv"] + words)
    return list.output.split(separator: "\n").dropFirst().map(String.init)
  }

  /// The favorites of a user.
  func stars(_ options: String...) async throws -> [String] {
    try await column("ref", ["--favorites"] + options)
  }

  /// The users, each with the role and the number of favorites.
  func users() async throws -> [String] {
    try await objects("users", "user", "list").map {
      "\($0["name"] ?? "") \($0["role"] ?? "") \($0["favorites"] ?? "")"
    }
  }

  /// The names of the files in its folder.
  var files: [String] {
    get throws { try FileManager.default.contentsOfDirectory(atPath: folder.path) }
  }

  /// Whether there is a file at a path.
  func exists(_ path: String) -> Bool { FileManager.default.fileExists(atPath: path) }

  /// Runs the program on this home's database as a child process.
  @discardableResult
  func offers(_ arguments: [String], input: String? = nil) throws -> OffersProgram.Result {
    try OffersProgram.run(arguments, environment: environment, input: input)
  }

  @discardableResult
  func offers(_ arguments: String..., input: String? = nil) throws -> OffersProgram.Result {
    try offers(arguments, input: input)
  }

  /// Runs the program as a child process with `--json`, and returns the parsed document.
  func document(_ arguments: String...) throws -> [String: Any] {
    let result = try OffersProgram.run(arguments + ["--json"], environment: environment)
    return try Self.parse(result.output)
  }

  static func parse(_ text: String) throws -> [String: Any] {
    let value = try JSONSerialization.jsonObject(with: Data(text.utf8))
    guard let document = value as? [String: Any] else { throw Unexpected("not an object: \(text)") }
    return document
  }

  /// The output and the exit code of a shell command.
  struct ShellResult {
    let output: String
    let errors: String
    let status: Int32
  }

  /// Runs a shell command in this home's folder, with `offers` on its path.
  func shell(_ command: String, mergingErrors: Bool = false) throws -> ShellResult {
    let names = ["shell-output", "shell-errors"]
    for name in names { try folder.write("", to: name) }
    let output = try writer("shell-output")
    let programs = URL(fileURLWithPath: OffersProgram.path).deletingLastPathComponent().path
    let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
    let process = try ChildProcess(
      ["/bin/bash", "-c", command],
      environment: OffersProgram.environment(environment)
        .merging(["PATH": "\(programs):\(path)"]) { $1 },
      folder: folder.path, to: output,
      errors: mergingErrors ? output : try writer("shell-errors"))
    let status = process.wait()
    let texts = try names.map { try folder.text(of: $0) }
    return ShellResult(output: texts[0], errors: texts[1], status: status)
  }

  /// Returns the result of the integrity checks by `sqlite3`: `ok` for a sound database, for one on a
  /// server, or if `sqlite3` is not installed.
  func integrity(of database: String? = nil) throws -> String {
    let database = database ?? self.database
    if database.hasPrefix("postgres://") { return "ok\n" }
    let check = try shell(
      "if command -v sqlite3 >/dev/null; then sqlite3 -readonly '\(database)' "
        + "'PRAGMA integrity_check; PRAGMA foreign_key_check'; else echo ok; fi")
    return check.output + check.errors
  }

  /// Returns an error if FTS5's integrity check finds one in the search index. The index is compared with
  /// the offers only if it is marked as current. Empty for a database on a server.
  /// https://sqlite.org/fts5.html#the_integrity_check_command
  func indexIntegrity(of database: String? = nil) throws -> String {
    let database = database ?? self.database
    if database.hasPrefix("postgres://") { return "" }
    return try DatabaseQueue(path: database, configuration: .untrustedFile).inDatabase { database in
      do {
        try database.execute(
          sql: """
            INSERT INTO offer_search (offer_search, rank)
            SELECT 'integrity-check', is_current FROM search_state
            """)
        return ""
      } catch let error as DatabaseError {
        return error.description
      }
    }
  }

  /// Returns a handle that appends, so that two streams to the same file keep their order.
  private func writer(_ name: String) throws -> FileHandle {
    let descriptor = open(folder.file(name), O_WRONLY | O_APPEND | O_CLOEXEC)
    guard descriptor >= 0 else { throw Unexpected("could not open \(name)") }
    return FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
  }

  /// Replaces the parts of a text that differ between runs and homes: times, sizes and paths.
  func stable(_ text: String) -> String {
    text.replacing(folder.path, with: "HOME")
      .replacing(SQLiteEngine.software.version, with: "VERSION")
      .replacing(/libpq [\d.]+/, with: "libpq VERSION")
      .replacing(/PostgreSQL [\d.]+/, with: "PostgreSQL VERSION")
      .replacing(/in \d[\d.]* s\b/, with: "in TIME")
      .replacing(/"duration_seconds":[\d.]+/, with: "\"duration_seconds\":TIME")
      .replacing(/"bytes":\d+/, with: "\"bytes\":SIZE")
      .replacing(/\(\d[\d.]* [kMG]?B\)/, with: "(SIZE)")
      .replacing(/: \d[\d.]* [kMG]?B, sound/, with: ": SIZE, sound")
      .replacing(/before-\d{8}-\d{6}/, with: "before-TIME")
      .replacing(/about \d[\d.]* [kMG]?B/, with: "about SIZE")
      .replacing(/\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\dZ)?/, with: "TIME")
  }
}

extension TemporaryFolder {
  func text(of name: String) throws -> String {
    String(decoding: try Data(contentsOf: URL(fileURLWithPath: file(name))), as: UTF8.self)
  }
}

/// The folder of the package.
enum PackageFolder {
  static func file(_ name: String) -> String {
    let here = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    return here.deletingLastPathComponent().deletingLastPathComponent()
      .appendingPathComponent(name).path
  }

  static func text(of name: String) throws -> String {
    try String(contentsOfFile: file(name), encoding: .utf8)
  }
}
