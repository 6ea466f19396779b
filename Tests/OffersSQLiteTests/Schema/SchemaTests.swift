import GRDB
import OffersCore
import OffersTestSupport
import Testing

@Suite("Constraints of the schema")
struct SchemaTests {
  /// An INSERT of an offer, some of whose valid columns are replaced.
  private static func offer(_ changes: [String: String] = [:]) -> String {
    insert(
      into: "offer",
      [
        "feed_key": "1", "id": "'1'", "content_hash": "0", "first_seen_at": "0",
        "changed_at": "0", "name": "'Milk'", "name_key": "x''", "reward_up_to": "0",
      ], changes)
  }

  private static func run(_ changes: [String: String] = [:]) -> String {
    var values = ["feed_key": "1", "source": "'sample'", "outcome": "'updated'"]
    let numbers = [
      "started_at", "duration_milliseconds", "bytes", "new_count", "changed_count", "gone_count",
      "back_count", "unchanged_count", "skipped_count", "mended_count",
    ]
    for number in numbers { values[number] = "0" }
    return insert(into: "sync_run", values, changes)
  }

  private static func feed(_ changes: [String: String] = [:]) -> String {
    insert(
      into: "feed", ["name": "'grocer-2'", "source": "'sample'", "subscribed_at": "0"], changes)
  }

  private static func change(_ changes: [String: String] = [:]) -> String {
    insert(
      into: "change",
      ["feed_key": "1", "offer_key": "1", "run_id": "1", "kind": "'new'", "at": "0"], changes)
  }

  private static func insert(
    into table: String, _ values: [String: String], _ changes: [String: String]
  ) -> String {
    let all = values.merging(changes) { $1 }.sorted { $0.key < $1.key }
    let columns = all.map(\.key).joined(separator: ", ")
    return "INSERT INTO \(table) (\(columns)) VALUES (\(all.map(\.value).joined(separator: ", ")))"
  }

  @Test("valid rows are accepted")
  func takesSoundRows() async throws {
    let store = try await Store()
    try store.execute(Self.offer())
    try store.execute(
      Self.offer(["id": "'2'", "reward_minor_units": "75", "reward_currency": "'USD'"]))
    try store.execute(Self.offer(["id": "'3'", "reward_percent_hundredths": "250"]))
    try store.execute(Self.run())
    try store.execute(
      Self.run(["outcome": "'failed'", "error_code": "'x'", "error_message": "'x'"]))
    try store.execute(Self.change())
    try store.execute(Self.change(["kind": "'changed'", "fields": "'{}'"]))
    try store.execute(Self.change(["kind": "'up'", "fields": "'{}'"]))
    try store.execute(Self.change(["kind": "'first'", "offer_count": "4", "change_id": "6"]))
    try store.execute(
      Self.feed([
        "document_hash": "zeroblob(16)", "document_head_hash": "zeroblob(16)",
        "document_bytes": "1",
      ]))
    #expect(
      try store.rows(
        """
        SELECT (SELECT count(*) FROM offer), (SELECT count(*) FROM sync_run),
          (SELECT count(*) FROM change), (SELECT count(*) FROM feed)
        """) == ["3|2|4|2"])
  }

  @Test(
    "rows that violate a constraint are refused",
    arguments: [
      ("an empty id", offer(["id": "''"])),
      ("an empty name", offer(["name": "''"])),
      ("no name", offer(["name": "NULL"])),
      ("a number for a time", offer(["changed_at": "'today'"])),
      ("a mark that is neither", offer(["reward_up_to": "2"])),
      ("an unknown feed", offer(["feed_key": "7"])),
      ("a currency without units", offer(["reward_currency": "'USD'"])),
      ("units without a currency", offer(["reward_minor_units": "75"])),
      (
        "a percentage and an amount",
        offer([
          "reward_minor_units": "75", "reward_currency": "'USD'",
          "reward_percent_hundredths": "250",
        ])
      ),
      ("an unknown kind of change", change(["kind": "'lost'"])),
      ("a changed offer without fields", change(["kind": "'changed'"])),
      ("fields that are no JSON", change(["kind": "'changed'", "fields": "'{'"])),
      ("a change of no run", change(["run_id": "7"])),
      ("a change of no feed", change(["feed_key": "7"])),
      ("an offer that costs more, without fields", change(["kind": "'up'"])),
      ("fields of a new offer", change(["fields": "'{}'"])),
      ("a first sync without a count", change(["kind": "'first'"])),
      ("a first sync of no offer", change(["kind": "'first'", "offer_count": "0"])),
      ("a count of a new offer", change(["offer_count": "1"])),
      ("no key of a name", offer(["name_key": "NULL"])),
      ("categories that are no JSON", offer(["categories": "'['"])),
      ("a latitude beyond a pole", offer(["latitude": "90.5"])),
      ("a feed with less than no offers", feed(["current_count": "-1"])),
      ("a feed with less than no gone offers", feed(["gone_count": "-1"])),
      ("a feed's name with capitals", feed(["name": "'Ibotta'"])),
      ("a feed's name with a colon", feed(["name": "'a:b'"])),
      ("an empty feed's name", feed(["name": "''"])),
      ("a feed's name twice", feed(["name": "'ibotta'"])),
      ("no source", feed(["source": "''"])),
      (
        "a short hash",
        feed([
          "document_hash": "zeroblob(15)", "document_head_hash": "zeroblob(16)",
          "document_bytes": "1",
        ])
      ),
      ("a hash without a size", feed(["document_hash": "zeroblob(16)"])),
      ("an unknown outcome", run(["outcome": "'maybe'"])),
      ("a failed run without an error", run(["outcome": "'failed'"])),
      ("a good run with an error", run(["error_code": "'x'", "error_message": "'x'"])),
      ("problems that are no JSON", run(["problems": "'['"])),
      ("an unknown origin", "UPDATE feed SET chosen_source = 'x', source_origin = 'me'"),
      ("an origin without a source", "UPDATE feed SET source_origin = 'machine'"),
      (
        "a short id of a session",
        "INSERT INTO session VALUES (zeroblob(31), 1, NULL, 0, 0, '', '')"
      ),
      (
        "a short fingerprint",
        "INSERT INTO session VALUES (zeroblob(32), 1, zeroblob(8), 0, 0, '', '')"
      ),
      (
        "a long name of a browser",
        "INSERT INTO session VALUES (zeroblob(32), 1, NULL, 0, 0, '', printf('%201d', 1))"
      ),
      ("a login without a name", "INSERT INTO login_attempt VALUES ('', 1, 0, 0)"),
      ("no failed login", "INSERT INTO login_attempt VALUES ('a', 0, 0, 0)"),
      ("a long name", "INSERT INTO login_attempt VALUES (printf('%65d', 1), 1, 0, 0)"),
    ])
  func refuses(what: String, sql: String) async throws {
    let store = try await Store()
    try store.execute(Self.run())
    try store.execute(Self.change())
    let error = #expect(throws: DatabaseError.self, "\(what)") { try store.execute(sql) }
    #expect(error?.resultCode == .SQLITE_CONSTRAINT, "\(what)")
  }

  @Test("an id is unique within its feed only")
  func keepsIDsApart() async throws {
    let store = try await Store()
    try store.execute(Self.feed())
    try store.execute(Self.offer())
    try store.execute(Self.offer(["feed_key": "2"]))
    #expect(throws: DatabaseError.self) { try store.execute(Self.offer()) }
  }
}
