import OffersCore
import PostgresShim

/// A connection of libpq to the server, which runs statements. All calls block their thread.
///
/// Only if the connection leads to one process of the server is anything set beyond the end of a transaction,
/// or a statement prepared by name: so the program also works through a pooler that gives each transaction
/// another connection to the server, such as pgbouncer in transaction mode.
final class Connection {
  private let library: offers_libpq
  private let handle: OpaquePointer
  let cancellation: Cancellation
  /// The number of rows that the transaction has inserted, updated or deleted.
  private(set) var changedRows = 0
  /// The time limit of the running operation.
  private var limit = Limit.statement
  /// When the running statement, or the operation, is given up.
  private var deadline = ContinuousClock.now
  /// The session on the server; nil before the first question.
  private var session: Session?
  /// The number of open cursors, which are named by it.
  var cursorCount = 0
  /// The names of the prepared statements.
  private var prepared: [Statement: String] = [:]
  /// The prefix of the names of prepared statements, which differs for each connection. If a pooler is not
  /// recognized and leads to a process that another connection has used, a name is unknown there instead
  /// of meaning another statement.
  private let namePrefix = "offers_\(UInt64.random(in: 0...UInt64.max))_"

  /// The longest time for the server's answers.
  enum Limit {
    /// For each statement, the wait for other writers included.
    case statement
    /// For the whole operation. Only a lost server takes longer.
    case short

    var seconds: Int { self == .statement ? 600 : 2 }
    /// How long the server has to answer after a statement was cancelled; nil if the connection is given
    /// up at once.
    fileprivate var graceSeconds: Int? { self == .statement ? 5 : nil }
  }

  /// Connects, and waits until the server accepts the connection.
  ///
  /// - Throws: `PostgresFailure`.
  init(_ url: DatabaseURL) throws {
    let shared = try PostgresLibrary.load()
    library = shared.functions
    let parameters = url.connectionParameters
    let opened = CStringList(parameters.map(\.keyword)).withPointers { keywords in
      CStringList(parameters.map(\.value)).withPointers { values in
        shared.functions.PQconnectdbParams(keywords, values, 1)
      }
    }
    guard let opened else {
      throw PostgresFailure(sqlState: "53200", message: "out of memory", isLost: true)
    }
    handle = opened
    cancellation = Cancellation(opened, shared)
    guard library.PQstatus(opened) == CONNECTION_OK else {
      throw Self.openingFailure(Self.message(opened, library))
    }
    _ = library.PQsetnonblocking(opened, 1)
    offers_libpq_discard_notices([library], opened)
    guard library.PQserverVersion(opened) >= Self.oldestVersion else {
      throw OffersError(
        .storageFailed,
        "\(url.capitalized) runs PostgreSQL \(library.PQserverVersion(opened) / 10_000).",
        hint: "The program needs PostgreSQL \(Self.oldestVersion / 10_000) or newer.")
    }
    let encoding = library.PQparameterStatus(opened, "server_encoding").map { String(cString: $0) }
    guard encoding == "UTF8" else {
      throw OffersError(
        .storageFailed, "\(url.capitalized) has the encoding \(encoding ?? "unknown").",
        hint: "Create a database with ENCODING 'UTF8', which holds every language.")
    }
  }

  deinit { library.PQfinish(handle) }

  /// The oldest version of the server that the program works with, as libpq counts.
  private static let oldestVersion: Int32 = 130_000

  /// The failure to connect. libpq tells no code for it, only the message of the server.
  private static func openingFailure(_ message: String) -> PostgresFailure {
    // The order matters: messages about limits and privileges also contain `role "` or `database "`.
    let known = [
      ("too many connections for", "53300"), ("permission denied for database", "42501"),
      ("is not currently accepting connections", "57P03"),
      ("password authentication failed", "28P01"), ("no password supplied", "28P01"),
      ("no pg_hba.conf entry", "28000"), ("authentication failed", "28000"),
      ("role \"", "28000"), ("database \"", "3D000"), ("no such database", "3D000"),
      ("too many clients", "53300"), ("remaining connection slots", "53300"),
      ("no more connections allowed", "53300"), ("is starting up", "57P03"),
      ("is shutting down", "57P03"), ("recovery mode", "57P03"),
      ("session is read-only", "25006"), ("is in hot standby mode", "25006"),
    ]
    let state = known.first { message.contains($0.0) }?.1
    return PostgresFailure(sqlState: state, message: message, isLost: true)
  }

  /// Whether the connection can be used for another operation.
  var isUsable: Bool {
    library.PQstatus(handle) == CONNECTION_OK && !isStandby
      && library.PQtransactionStatus(handle) == PQTRANS_IDLE
  }

  /// Whether a write failed because the server has become a standby.
  private var isStandby = false

  /// Whether a transaction has begun.
  var isInTransaction: Bool {
    let status = library.PQtransactionStatus(handle)
    return status == PQTRANS_INTRANS || status == PQTRANS_INERROR
  }

  /// Begins an operation: sets its deadline and forgets the rows of the one before.
  func begin(_ limit: Limit = .statement) {
    deadline = .now + .seconds(limit.seconds)
    self.limit = limit
    changedRows = 0
  }

  private struct Session {
    /// Whether the connection leads to one process of the server, not to a pooler. The number of the process
    /// is told at the start of the connection, and a pooler tells one of its own.
    var isDirect: Bool
    /// The schemas in which names are looked up: that of the program, and last the one of temporary tables,
    /// which would otherwise be the first. Empty without a schema that may be trusted.
    let path: String
  }

  private func fetchSession() throws -> Session {
    if let session { return session }
    let row = try rows(TrustedOwner.session).first
    let made = Session(
      isDirect: row?.number(0) == Int64(library.PQbackendPID(handle)),
      path: row?.findText(1).map { "\($0), pg_temp" } ?? "''")
    if made.isDirect { try script("SET search_path = \(made.path)") }
    session = made
    return made
  }

  /// Whether the connection leads to one process of the server, not to a pooler.
  func isDirect() throws -> Bool { try fetchSession().isDirect }

  /// The statement that has a transaction look up names in the program's schema.
  func settingPath() throws -> String { "SET LOCAL search_path = \(try fetchSession().path)" }

  /// Runs a single query, in a transaction only if the connection has no session of its own.
  func readOnce<Result>(_ body: () throws -> Result) throws -> Result {
    if try isDirect() { return try body() }
    try script("BEGIN READ ONLY; \(settingPath())")
    do {
      let result = try body()
      try script("COMMIT")
      return result
    } catch {
      rollBack()
      throw error
    }
  }

  /// Rolls back the transaction, if one has begun.
  func rollBack() {
    guard isInTransaction else { return }
    // A request to cancel that is under way must not hit the ROLLBACK.
    cancellation.end()
    // A connection whose transaction cannot be rolled back is closed, which rolls it back.
    _ = try? script("ROLLBACK", isCancellable: false)
  }

  /// Runs a statement with bound parameters and returns its rows.
  func rows(_ sql: String, _ parameters: [Parameter] = []) throws -> Rows {
    try check(parameters)
    let sent = send(parameters) { [library, handle] values in
      library.PQsendQueryParams(
        handle, sql, values.count, values.types, values.pointers, values.lengths,
        values.formats, 1)
    }
    return try results(isSent: sent)
  }

  /// Runs a statement like `rows(_:_:)`, but lets the server keep it, parsed and planned, for the next time.
  /// This is for short statements that are run often, since the texts are kept as long as the connection,
  /// and after a few times the plan no longer depends on the parameters.
  /// https://www.postgresql.org/docs/current/sql-prepare.html
  func rows(prepared sql: String, _ parameters: [Parameter] = []) throws -> Rows {
    try check(parameters)
    guard try isDirect() else { return try rows(sql, parameters) }
    let statement = Statement(sql: sql, types: parameters.map(\.type))
    let name = try prepared[statement] ?? prepare(statement)
    // A request to cancel may have come while the statement was prepared.
    try checkCancellation()
    let sent = send(parameters) { [library, handle] values in
      library.PQsendQueryPrepared(
        handle, name, values.count, values.pointers, values.lengths, values.formats, 1)
    }
    return try results(isSent: sent)
  }

  private func prepare(_ statement: Statement) throws -> String {
    let name = "\(namePrefix)\(prepared.count)"
    let sent = library.PQsendPrepare(
      handle, name, statement.sql, Int32(statement.types.count), statement.types)
    _ = try results(isSent: sent == 1)
    prepared[statement] = name
    return name
  }

  /// Runs a statement with bound parameters and returns the number of rows that it wrote or read.
  @discardableResult
  func run(_ sql: String, _ parameters: [Parameter] = []) throws -> Int {
    try rows(sql, parameters).affectedCount
  }

  /// Runs several statements without parameters and returns the rows of the last one. It is one
  /// round trip.
  @discardableResult
  func script(_ sql: String, isCancellable: Bool = true) throws -> Rows {
    if isCancellable { try checkCancellation() }
    return try results(isSent: library.PQsendQuery(handle, sql) == 1)
  }

  /// Throws if the running operation was cancelled, such as before work between its statements.
  func checkCancellation() throws {
    if cancellation.isCancelled { throw CancellationError() }
  }

  private func check(_ parameters: [Parameter]) throws {
    try checkCancellation()
    if parameters.contains(where: \.isUnstorable) { throw StoredText.refusal }
  }

  /// Sends a statement by a call of libpq, and tells whether that succeeded.
  private func send(_ parameters: [Parameter], by call: (ParameterArrays) -> Int32) -> Bool {
    let values = parameters.map(\.encoded)
    // All values in one block, so that their addresses are valid together. An empty value needs an
    // address, too: without one it would be NULL.
    var block: [UInt8] = []
    block.reserveCapacity(values.reduce(1) { $0 + ($1?.count ?? 0) })
    var starts: [Int?] = []
    for value in values {
      starts.append(value.map { _ in block.count })
      if let value { block += value }
    }
    block.append(0)
    return block.withUnsafeBytes { block in
      let base = block.baseAddress?.assumingMemoryBound(to: CChar.self)
      return call(
        ParameterArrays(
          types: parameters.map(\.type),
          pointers: starts.map { start in start.flatMap { base?.advanced(by: $0) } },
          lengths: values.map { Int32($0?.count ?? 0) })) == 1
    }
  }

  /// Waits for the results of what was sent and returns the last one.
  private func results(isSent: Bool) throws -> Rows {
    guard isSent else { throw lost() }
    if limit == .statement { deadline = .now + .seconds(limit.seconds) }
    while true {
      let rest = library.PQflush(handle)
      if rest == 0 { break }
      guard rest == 1 else { throw lost() }
      try wait(writable: true)
    }
    var last: Rows?
    var failure: PostgresFailure?
    while true {
      while library.PQisBusy(handle) != 0 { try wait(writable: false) }
      guard let result = library.PQgetResult(handle) else { break }
      let status = library.PQresultStatus(result)
      let rows = Rows(result, library)
      if status == PGRES_TUPLES_OK || status == PGRES_COMMAND_OK || status == PGRES_EMPTY_QUERY {
        if rows.isWrite { changedRows += rows.affectedCount }
        last = rows
      } else if failure == nil {
        failure = rows.failure(isLost: library.PQstatus(handle) != CONNECTION_OK)
      }
    }
    if let failure {
      if failure.isReadOnly { isStandby = true }
      // A pooler that is not recognized as one, or one that resets its connections.
      if failure.isOfPreparedStatement { session?.isDirect = false }
      if failure.sqlState == "57014", cancellation.isCancelled { throw CancellationError() }
      throw library.PQstatus(handle) == CONNECTION_OK
        ? failure
        : PostgresFailure(sqlState: failure.sqlState, message: failure.message, isLost: true)
    }
    guard let last else { throw lost() }
    return last
  }

  /// How long PostgreSQL is waited for until the deadline and the cancellation are looked at again.
  private static let waitMilliseconds = 250.0

  /// Waits for PostgreSQL. After the deadline the statement is cancelled, and if there is still no
  /// answer, the connection is given up.
  private func wait(writable: Bool) throws {
    let socket = library.PQsocket(handle)
    guard socket >= 0 else { throw lost() }
    if cancellation.isOverdue { throw lost("the server did not end what was cancelled") }
    var left = deadline - .now
    if left <= .zero {
      guard let graceSeconds = limit.graceSeconds, left > .seconds(-graceSeconds) else {
        throw lost("the server did not answer in time")
      }
      cancellation.sendNow()
      left = .seconds(1)
    }
    let milliseconds = min(Self.waitMilliseconds, left / .milliseconds(1))
    guard offers_wait_for_socket(socket, writable, Int32(milliseconds) + 1) >= 0,
      library.PQconsumeInput(handle) == 1
    else { throw lost() }
  }

  private func lost(_ reason: String? = nil) -> PostgresFailure {
    PostgresFailure(
      sqlState: nil, message: reason ?? Self.message(handle, library), isLost: true)
  }

  private static func message(_ handle: OpaquePointer, _ library: offers_libpq) -> String {
    library.PQerrorMessage(handle).map { String(cString: $0) } ?? ""
  }
}

/// A statement with the types of its parameters.
private struct Statement: Hashable {
  let sql: String
  let types: [UInt32]
}

/// The parameters of a statement as libpq takes them.
private struct ParameterArrays {
  let types: [UInt32]
  let pointers: [UnsafePointer<CChar>?]
  let lengths: [Int32]

  var count: Int32 { Int32(types.count) }
  /// All values are in the binary format.
  var formats: [Int32] { [Int32](repeating: 1, count: types.count) }
}

/// Texts as C strings, with a null pointer behind the last one.
private struct CStringList {
  private let texts: [String]

  init(_ texts: [String]) { self.texts = texts }

  func withPointers(
    _ body: (UnsafePointer<UnsafePointer<CChar>?>) -> OpaquePointer?
  ) -> OpaquePointer? {
    var block: [CChar] = []
    var starts: [Int] = []
    for text in texts {
      starts.append(block.count)
      block += text.utf8CString
    }
    return block.withUnsafeBufferPointer { block in
      let pointers = starts.map { block.baseAddress?.advanced(by: $0) } + [nil]
      return pointers.withUnsafeBufferPointer { $0.baseAddress.flatMap(body) }
    }
  }
}

/// Long results in bounded memory.
extension Connection {
  /// Calls `body` with each row of a query, which is read through a cursor. The connection must be in a
  /// transaction.
  ///
  /// - Parameters:
  ///   - sql: the query.
  ///   - parameters: its parameters.
  ///   - fetchedCount: the number of rows that are in memory at once.
  ///   - body: may run other statements.
  func forEachRow(
    _ sql: String, _ parameters: [Parameter] = [], fetchedCount: Int = 2000,
    _ body: (Row) throws -> Void
  ) throws {
    cursorCount += 1
    defer { cursorCount -= 1 }
    let cursor = "cursor_\(cursorCount)"
    try run("DECLARE \(cursor) NO SCROLL CURSOR FOR \(sql)", parameters)
    while true {
      // Not by `script`, whose results are texts.
      let rows = try rows("FETCH \(fetchedCount) FROM \(cursor)")
      for index in 0..<rows.count { try body(rows[index]) }
      if rows.count < fetchedCount { break }
    }
    try script("CLOSE \(cursor)")
  }
}

/// Decides whose schemas and tables the program uses: those of its own role, of the owner of the database, of
/// superusers, and of members of its own role, which can act as it.
///
/// That its own role is a member of another one says nothing, because any role could grant itself. PostgreSQL
/// alone would look first into a schema with the name of the role, which every role that may create schemas can
/// make, and would give logins and tokens to it.
/// https://www.postgresql.org/docs/current/ddl-schemas.html#DDL-SCHEMAS-PATTERNS
///
/// The statements run with the path of the database, so functions are named with their schema. The operators
/// compare equal types, for which those of `pg_catalog` come first.
enum TrustedOwner {
  /// Reads the id of PostgreSQL's process, and the quoted name of the first schema of the path that may be
  /// trusted; null if there is none.
  static let session = """
    SELECT pg_catalog.pg_backend_pid(), (
      SELECT pg_catalog.quote_ident(space.nspname::pg_catalog.text)
      FROM pg_catalog.unnest(pg_catalog.current_schemas(false)) WITH ORDINALITY AS path (name, place)
      JOIN pg_catalog.pg_namespace AS space ON space.nspname = path.name
      WHERE \(isTrusted("space.nspowner")) ORDER BY path.place LIMIT 1)
    """

  /// The SQL that tells whether the role with an `oid` may own what the program uses.
  private static func isTrusted(_ owner: String) -> String {
    """
    \(owner) IN (
      SELECT role.oid FROM pg_catalog.pg_roles AS role
      JOIN pg_catalog.pg_roles AS own ON own.rolname = CURRENT_USER
      JOIN pg_catalog.pg_database AS database ON database.datname = pg_catalog.current_database()
      WHERE role.rolsuper OR role.rolname = 'pg_database_owner' OR role.oid = database.datdba
      OR pg_catalog.pg_has_role(role.oid, own.oid, 'MEMBER'))
    """
  }

  /// Refuses a database in which one of some tables belongs to a role that is not trusted: it could read and
  /// change what the program writes.
  ///
  /// - Throws: `OffersError` with `storageFailed`.
  static func check(_ tables: [String], in connection: Connection, _ url: DatabaseURL) throws {
    let row = try connection.rows(
      """
      SELECT class.relname::text, pg_catalog.pg_get_userbyid(class.relowner)::text
      FROM pg_catalog.pg_class AS class
      JOIN pg_catalog.pg_namespace AS space ON space.oid = class.relnamespace
      WHERE space.nspname = pg_catalog.current_schema() AND class.relname::text = ANY ($1) AND NOT \(isTrusted("class.relowner"))
      ORDER BY class.relname LIMIT 1
      """, [.texts(tables)]
    ).first
    guard let row else { return }
    throw OffersError(
      .storageFailed,
      "The table \(row.text(0)) in \(url.description) belongs to the role \(row.text(1)), which could read "
        + "and change all that is written to it.",
      hint: "Find out who made it. Give it to the owner of the database, or remove it.")
  }
}
