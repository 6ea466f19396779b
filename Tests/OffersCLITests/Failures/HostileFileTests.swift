import Foundation
import GRDB
import OffersTestSupport
import TestStores
import Testing

@testable import OffersCLI
@testable import OffersSQLite

@Suite("A database file that somebody made up", .aboutFile)
struct HostileFileTests {
  /// A column of a table, and the SQL expression that replaces all of its values.
  struct Mutation: CustomStringConvertible {
    let table: String
    let column: String
    let value: String

    var description: String { "\(table).\(column) = \(value.prefix(40))" }
  }

  private static let escapes = "\u{1B}]0;x\u{7}\u{1B}[2J\u{9B}31m\u{202E}\u{2066}\u{7F}"

  /// The values for each declared type. Some fit only in a table without constraints.
  private static let values = [
    "INTEGER": ["\(Int64.min)", "\(Int64.max)", "-1", "\(1 << 53 + 1)", "NULL", "'x'", "x'FF'"],
    "TEXT": [
      "'\(escapes)'", "CAST(x'FF1B5B324AC328' AS TEXT)", "''", "NULL",
      "printf('%.*c', 5000, 'x') || '\(escapes)'", "'[1,{\"a\":\"\(escapes)\"}]'", "x'FF1B5B'",
      "1.5e300",
    ],
    "REAL": ["9e999", "-9e999", "-1.5e300", "NULL"],
    "BLOB": ["x''", "x'1B5B32'", "zeroblob(100000)", "NULL"],
  ]

  /// The mutations that ended the program once, or reached a terminal, for a file each.
  private static let known = [
    [Mutation(table: "feed", column: "name", value: "'\(escapes)'")],
    [
      ("feed", "current_count"), ("feed_fetch", "failure_count"), ("feed_fetch", "held_count"),
      ("sync_run", "duration_milliseconds"), ("sync_run", "started_at"),
    ].map { Mutation(table: $0, column: $1, value: "\(Int64.min)") },
    [
      Mutation(table: "sync_run", column: "duration_milliseconds", value: "\(Int64.max)"),
      Mutation(table: "image_tally", column: "hit_count", value: "\(Int64.max)"),
      Mutation(table: "change", column: "fields", value: "'\(escapes)'"),
    ],
  ]

  private static let commands = [
    ["list"], ["list", "--sort", "newest"], ["list", "--sort", "expiry", "--gone"],
    ["list", "--favorites"], ["list", "--format", "csv"], ["list", "--format", "tsv"],
    ["list", "--format", "markdown"], ["list", "--json"], ["show", "1"], ["show", "1", "--json"],
    ["search", "tea"], ["search"], ["status"], ["status", "--json"], ["feeds"],
    ["feeds", "--json"], ["changes", "--since", "30d"], ["changes", "--json"], ["history", "1"],
    ["history", "1", "--json"], ["doctor"], ["doctor", "--json"], ["cache"], ["cache", "--json"],
    ["prune", "--dry-run"], ["household"], ["household", "--json"], ["export"],
    ["user", "list"], ["token", "list"],
  ]

  /// A database with a row in every table that has data.
  private static func makeFile() async throws -> (home: Home, base: String) {
    let home = try Home()
    let items = (1...4).map {
      FeedItem("\($0)", "Tea \($0)", description: "Good", image: "https://e.test/\($0).png")
    }
    var later = Array(items.dropLast())
    later[0].reward = "$2.00 Cash Back"
    for items in [items, later] {
      let result = try await home.call("sync", "--quiet", "--from", home.feed(items))
      guard result.status == 0 else { throw Home.Unexpected(result.errors) }
    }
    try await home.call("favorite", "1")
    try await home.call("household", "add", "1")
    try await home.call("search", "tea")
    try await home.call("user", "add", "ann")
    try await home.call("token", "add", "phone")
    try await write(home.database) { database in
      try database.execute(sql: Self.rows)
      let tables = try Self.columns(in: database).map(\.table)
      for table in Set(tables) {
        let count = try Int.fetchOne(database, sql: "SELECT count(*) FROM \(table)") ?? 0
        #expect(count > 0, "\(table)")
      }
    }
    let base = home.folder.file("base.sqlite")
    try FileManager.default.moveItem(atPath: home.database, toPath: base)
    return (home, base)
  }

  /// Rows for the tables that a sync and the other commands leave empty.
  private static let rows = """
    UPDATE offer SET retailer = 'Shop', retailer_key = CAST('shop' AS BLOB),
      categories = '["Drinks"]', category_keys = x'FF6472696E6B73FF', starts_at = 1700000000,
      expires_at = 1900000000, latitude = 10, longitude = 20, attributes = '[["Size","2"]]';
    INSERT OR REPLACE INTO feed_fetch (feed_key, etag, validated_mark, validated_rules,
      full_fetch_at, next_due_at, wait_until, failure_count, failing_since, moved_from, moved_to,
      moved_count, held_count, held_since)
      SELECT feed_key, '"e"', 'm', 1, 1790000000, 1790000000, 1990000000, 2, 1790000000,
        'https://a.test', 'https://b.test', 3, 1, 1790000000 FROM feed;
    INSERT INTO feed_definition (feed, text, every_seconds, currency)
      VALUES ('tea', 'source: https://a.test/tea.json', 3600, 'EUR');
    INSERT OR REPLACE INTO missing_offer SELECT offer_key, feed_key, 1790000000, 0 FROM offer LIMIT 1;
    UPDATE sync_run SET request_reason = 'due', request_count = 1, request_status = 200,
      request_is_conditional = 0;
    UPDATE offer SET found_at = 1790000000 WHERE offer_key = (SELECT max(offer_key) FROM offer);
    INSERT INTO reader VALUES (1, 'phone', 1, 1790000000);
    INSERT INTO notice VALUES (1, 'failing', 'ibotta', '', 1790000000, 1790000000);
    INSERT INTO watch (user_key, selection, rule, repeats, is_urgent, is_timed, created_at)
      VALUES (1, 'tea', 'match', 'default', 0, 1, 1790000000);
    INSERT INTO watch_state SELECT offer_key, 1, 's1790000000 i', 1790000000 FROM offer LIMIT 1;
    INSERT INTO channel (user_key, name, folded_name, settings, quiet_hours, is_default, created_at)
      VALUES (1, 'desk', 'desk', '{"kind":"command","words":["true"],"options":{},"private":false}',
        '22:00-7:00', 1, 1790000000);
    INSERT INTO user_notice (user_key, watch_key, subject, at, feed, id, name, reason, is_urgent)
      VALUES (1, 1, 'a', 1790000000, 'ibotta', '1', 'Tea', '{"recovered":{}}', 0);
    INSERT INTO delivery (channel_key, notice_key) VALUES (1, 1);
    INSERT INTO hiding (user_key, selection, feed, id, created_at)
      VALUES (1, 'coffee', '', '', 1790000000), (1, '', 'ibotta', '1', 1790000000);
    INSERT INTO feed_address (user_key, subject, hash, created_at, last_used_at)
      VALUES (1, 'watch 1', zeroblob(32), 1790000000, 1790000000);
    INSERT INTO image_cache VALUES ('https://e.test/1.png', 'image/png', 1, 1, '"e"', 'l',
      1790000000, 1790000000, 'damaged', NULL, x'89504E470D0A1A0A');
    INSERT INTO image_color VALUES ('https://e.test/1.png', '336699 99ccff ffffff');
    INSERT INTO image_use VALUES ('https://e.test/1.png', 1);
    INSERT INTO image_failure VALUES ('https://e.test/2.png', 'notFound', 'gone', 1990000000);
    INSERT INTO image_lease VALUES ('https://e.test/3.png', 1, 1990000000000);
    INSERT INTO login_attempt (network, failure_count, last_failure_at, wait_until)
      VALUES ('192.0.2.0/24', 5, unixepoch(), unixepoch() + 60);
    INSERT INTO passphrase VALUES (1, zeroblob(16), 16384, 8, 1, zeroblob(32), 1790000000);
    INSERT INTO session VALUES (zeroblob(32), 1, NULL, 1790000000, 1790000000, '192.0.2.1', 'x');
    INSERT OR REPLACE INTO server_key VALUES ('pending login', zeroblob(32));
    INSERT INTO identity VALUES (1, 'https://id.test', 'ann', 1790000000);
    INSERT INTO host_wait VALUES ('0123456789abcdef0123456789abcdef', 1990000000);
    """

  /// The columns of all tables but those that SQLite and FTS5 manage, with their declared types.
  private static func columns(
    in database: Database
  ) throws -> [(table: String, column: String, type: String)] {
    try GRDB.Row.fetchAll(
      database,
      sql: """
        SELECT tables.name, columns.name, columns.type
        FROM pragma_table_list AS tables, pragma_table_info(tables.name) AS columns
        WHERE tables.type = 'table' AND tables.schema = 'main' AND tables.name NOT GLOB 'sqlite_*'
          AND tables.name NOT GLOB 'offer_search*'
        ORDER BY tables.name, columns.cid
        """
    ).map { ($0[0], $0[1], $0[2]) }
  }

  /// Changes a file on a connection without constraints, and leaves no log beside it.
  private static func write<Result: Sendable>(
    _ path: String, _ body: @escaping @Sendable (Database) throws -> Result
  ) async throws -> Result {
    let queue = try DatabaseQueue(path: path, configuration: .untrustedFile)
    let result = try await queue.writeWithoutTransaction { database in
      try database.execute(
        sql: "PRAGMA synchronous = OFF; PRAGMA ignore_check_constraints = ON")
      return try body(database)
    }
    try queue.close()
    return result
  }

  /// Writes mutations into a copy of the base.
  ///
  /// - Parameter isLoose: whether the tables lose their constraints first, as in a forged file.
  /// - Returns: false if the file cannot hold them, such as NULL in a column that has none.
  private static func apply(
    _ mutations: [Mutation], to base: String, at path: String, isLoose: Bool = false
  ) async throws -> Bool {
    for ending in ["", "-wal", "-shm", "-lock"] { unlink(path + ending) }
    try FileManager.default.copyItem(atPath: base, toPath: path)
    return try await write(path) { database in
      if isLoose { try Self.dropConstraints(in: database) }
      return try mutations.allSatisfy { try Self.apply($0, in: database) }
    }
  }

  private static func apply(_ mutation: Mutation, in database: Database) throws -> Bool {
    let (table, column) = (mutation.table, mutation.column)
    // A column with unique values gets the value in one row.
    for rows in ["", "WHERE (\(column)) IN (SELECT \(column) FROM \(table) LIMIT 1)"] {
      do {
        try database.execute(sql: "UPDATE \(table) SET \(column) = \(mutation.value) \(rows)")
        return true
      } catch is DatabaseError {
        continue
      }
    }
    return false
  }

  private static func dropConstraints(in database: Database) throws {
    try database.execute(
      sql: """
        PRAGMA writable_schema = ON;
        UPDATE sqlite_schema
        SET sql = replace(replace(replace(sql, 'STRICT, WITHOUT ROWID', 'WITHOUT ROWID'),
          ') STRICT', ')'), ' NOT NULL', '')
        WHERE type = 'table' AND sql LIKE '%STRICT%';
        PRAGMA writable_schema = RESET;
        """)
  }

  /// Whether a text has no character that could control a terminal.
  private static func isHarmless(_ text: String, isTerminal: Bool) -> Bool {
    let scalars = Array(text.unicodeScalars)
    return scalars.indices.allSatisfy { index in
      switch scalars[index].value {
      case 0x09, 0x0A: true
      // The line end of CSV.
      case 0x0D: index + 1 < scalars.count && scalars[index + 1] == "\n"
      case 0..<0x20, 0x7F..<0xA0: false
      case 0x061C, 0x200E...0x200F, 0x202A...0x202E, 0x2066...0x2069: !isTerminal
      default: true
      }
    }
  }

  /// Runs commands on a file, and expects that each ends and prints nothing harmful.
  private func expectHarmless(
    _ commands: some Sequence<[String]>, _ mutations: [Mutation], _ home: Home, isTerminal: Bool
  ) async throws {
    // Without the program's own styles.
    let environment = home.environment.merging(["TERM": "dumb"]) { $1 }
    for command in commands {
      // A separated list that is no terminal has the exact values.
      if !isTerminal, command.contains("csv") || command.contains("tsv") { continue }
      let result = try await OffersProgram.call(
        command, environment: environment, isTerminal: isTerminal)
      #expect([0, 1, 3, 64, 66].contains(result.status), "\(mutations) \(command)")
      #expect(
        Self.isHarmless(result.output, isTerminal: isTerminal), "\(mutations) \(command) output")
      #expect(
        Self.isHarmless(result.errors, isTerminal: isTerminal), "\(mutations) \(command) errors")
    }
    let salvaged = try await OffersProgram.call(["restore", "--salvage"], environment: environment)
    #expect([0, 1].contains(salvaged.status), "\(mutations)")
  }

  @Test("No value in any column ends a reading command or reaches a terminal")
  func mutations() async throws {
    let (home, base) = try await Self.makeFile()
    let columns = try await Self.write(base) { try Self.columns(in: $0) }
    #expect(columns.count > 120)
    var random = SeededGenerator(number: 45)
    var all: [Mutation] = []
    for (table, column, type) in columns {
      for value in Self.values[type] ?? [] {
        all.append(Mutation(table: table, column: column, value: value))
      }
    }
    let some = all.shuffled(using: &random).prefix(TestSize.scaled(all.count))
    for (index, mutations) in (Self.known + some.map { [$0] }).enumerated() {
      let isLoose = index >= Self.known.count && index % 3 == 0
      guard try await Self.apply(mutations, to: base, at: home.database, isLoose: isLoose)
      else { continue }
      // Every command reads some of the files of a short run.
      let isWhole = index < Self.known.count || TestSize.isLong
      let commands = Self.commands.shuffled(using: &random).prefix(isWhole ? .max : 4)
      try await expectHarmless(commands, mutations, home, isTerminal: index % 2 == 0)
    }
  }

  @Test("An export has no control characters of a change's fields")
  func changedFields() async throws {
    let (home, base) = try await Self.makeFile()
    let mutation = Mutation(table: "change", column: "fields", value: "'\(Self.escapes)'")
    #expect(try await Self.apply([mutation], to: base, at: home.database))
    let export = try await home.expect("export").output
    #expect(Self.isHarmless(export, isTerminal: false))
    #expect(export.contains(#","fields":null"#))
  }

  /// The commands that write count on from what is stored.
  @Test("No number in any column ends a sync or a pruning")
  func numbers() async throws {
    let (home, base) = try await Self.makeFile()
    let feed = try home.feed([FeedItem("5", "Coffee")])
    var random = SeededGenerator(number: 46)
    let columns = try await Self.write(base) { try Self.columns(in: $0) }
    let numbers = columns.filter { $0.type == "INTEGER" }.shuffled(using: &random)
    let first = [("change", "change_id"), ("feed", "current_count"), ("feed", "gone_count")].map {
      (table: $0, column: $1, type: "INTEGER")
    }
    for column in first + (TestSize.isLong ? numbers[...] : numbers.prefix(8)) {
      for value in [Int64.min, .max] {
        let mutation = Mutation(table: column.table, column: column.column, value: "\(value)")
        guard try await Self.apply([mutation], to: base, at: home.database) else { continue }
        for command in [["prune"], ["sync", "--quiet", "--from", feed]] {
          let result = try await home.call(command)
          #expect([0, 1, 3].contains(result.status), "\(mutation) \(command) \(result.errors)")
        }
      }
    }
  }

  @Test("A name that no feed can have makes a file unsound, for every command that reads it")
  func names() async throws {
    let (home, base) = try await Self.makeFile()
    for (table, holder, name) in [
      ("feed", "feed", "'a b'"), ("feed", "feed", "'Tea'"), ("account", "user", "'a' || char(10)"),
    ] {
      let mutation = Mutation(table: table, column: "name", value: name)
      #expect(try await Self.apply([mutation], to: base, at: home.database))
      for command in ["list", "status", "feeds", "doctor"] {
        let result = try await home.expect(command, status: 1)
        #expect((result.output + result.errors).contains("has a name that no \(holder) can have"))
      }
      // What is sound can be saved.
      let saved = try await home.call("restore", "--salvage")
      #expect(saved.output.contains(holder == "user" ? " 2 feeds, " : " 1 feed, "))
    }
  }

  @Test("A backup and a restoration refuse a file whose values break a constraint")
  func constraints() async throws {
    let (home, base) = try await Self.makeFile()
    let mutation = Mutation(table: "image_tally", column: "hit_count", value: "-5")
    #expect(try await Self.apply([mutation], to: base, at: home.database))
    let doctor = try await home.expect("doctor", status: 1)
    #expect(doctor.output.contains("CHECK constraint failed in image_tally"))
    try await home.expect(
      "backup", home.folder.file("copy.sqlite"), status: 1,
      says: ["The database is damaged, so no copy was made."])
    let other = home.folder.file("other.sqlite")
    try await home.expect(
      "restore", home.database, "--database", other, status: 1,
      says: ["is damaged. Nothing was changed."])
    #expect(!FileManager.default.fileExists(atPath: other))
  }
}
