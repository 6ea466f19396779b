import Foundation
import GRDB
import GRDBSQLite
import OffersCore
import OffersTestSupport
import Synchronization
import Testing

@testable import OffersSQLite

@Suite("The indexed texts")
struct SearchTextTests {
  /// Characters that have a meaning in JSON, and others.
  private static let signs = [
    "\"", "\\", ",", "[", "]", "\",\"", "\"],[\"", "\\\"", "a", " ", "é", "🍓", "\n", "\u{1}",
    "\u{2}",
    "/",
  ]

  private static func text(_ random: inout SeededGenerator) -> String {
    (0..<Int.random(in: 0...6, using: &random)).map { _ in
      signs.randomElement(using: &random) ?? ""
    }.joined()
  }

  /// Creates a database with one offer that has these lists.
  private static func store(_ categories: [String], _ attributes: [OfferAttribute]) async throws
    -> Store
  {
    let store = try await Store()
    try await store.database.write { database in
      try database.execute(
        sql: """
          INSERT INTO offer (offer_key, feed_key, id, content_hash, first_seen_at, changed_at, name,
            name_key, reward_up_to, categories, attributes)
          VALUES (1, 1, '1', 0, 0, 0, 'Tea', x'746561', 0, ?, ?)
          """, arguments: [json(categories), OfferAttribute.json(attributes)])
    }
    return store
  }

  private static func json(_ texts: [String]) -> String {
    var json = JSONWriter()
    json.array { for text in texts { $0.value(text) } }
    return json.text
  }

  @Test("a list is indexed with one line per element, whatever characters they contain")
  func lines() async throws {
    var random = SeededGenerator(number: 7)
    for count in [1, 4, 5, 6, 7, 8, 9, 40, 300] {
      let categories = (0..<count).map { _ in Self.text(&random) }
      let attributes = (0..<count).map { _ in
        OfferAttribute(label: Self.text(&random), value: Self.text(&random))
      }
      let store = try await Self.store(categories, attributes)
      let lists = try await store.database.read { database in
        try ["categories", "attributes"].map {
          try String.fetchOne(database, sql: "SELECT \($0) FROM search_text")
        }
      }
      #expect(lists[0] == categories.joined(separator: "\n"), "\(count)")
      #expect(lists[1] == attributes.map(\.value).joined(separator: "\n"), "\(count)")
    }
  }

  @Test("values that look like the place between two attributes are indexed as they are")
  func brackets() async throws {
    let odd = ["],[", "[", "]", "x[", "]x", ",", "\"],[\"", "\\"]
    for count in [6, 7, 40] {
      for label in odd {
        let attributes = (0..<count).map {
          OfferAttribute(label: $0 == 1 ? label : "Label", value: odd[$0 % odd.count])
        }
        let store = try await Self.store([], attributes)
        let text = try await store.database.read { database in
          try String.fetchOne(database, sql: "SELECT attributes FROM search_text")
        }
        #expect(text == attributes.map(\.value).joined(separator: "\n"), "\(count) \(label)")
      }
    }
  }

  /// The number of bytes of lists passed to SQLite's functions while an offer's texts are read, and
  /// the number of virtual machine steps.
  private static func work(_ count: Int) async throws -> (bytes: Int, steps: Int) {
    let store = try await store(
      (0..<count).map { "category \($0)" },
      (0..<count).map { OfferAttribute(label: "Label", value: "value \($0)") })
    let bytes = Mutex(0)
    @Sendable func counted(
      _ name: String,
      _ body: @escaping @Sendable ([DatabaseValue]) -> (any DatabaseValueConvertible)?
    ) -> DatabaseFunction {
      DatabaseFunction(name) { values in
        let count = String.fromDatabaseValue(values[0])?.utf8.count ?? 0
        bytes.withLock { $0 += count }
        return body(values)
      }
    }
    var configuration = GRDB.Configuration()
    let elements = count
    configuration.prepareDatabase { database in
      // Replaces SQLite's own function; all text here is ASCII.
      database.add(function: counted("json_array_length") { _ in elements })
      database.add(function: counted("json_extract") { _ in "" })
      database.add(
        function: counted("instr") { values in
          let text = String.fromDatabaseValue(values[0]) ?? ""
          let found = text.firstRange(of: String.fromDatabaseValue(values[1]) ?? "")
          return found.map { text.utf8[..<$0.lowerBound].count + 1 } ?? 0
        })
      database.add(
        function: counted("substr") { values in
          let text = Array((String.fromDatabaseValue(values[0]) ?? "").utf8)
          let start = (Int.fromDatabaseValue(values[1]) ?? 1) - 1
          let count = values.count > 2 ? Int.fromDatabaseValue(values[2]) ?? 0 : text.count
          return String(decoding: text.dropFirst(start).prefix(count), as: UTF8.self)
        })
    }
    let steps = try await DatabaseQueue(path: store.path, configuration: configuration).read {
      let statement = try $0.makeStatement(
        sql: "SELECT categories, attributes FROM search_text WHERE offer_key = 1")
      _ = try Row.fetchOne(statement)
      return sqlite3_stmt_status(statement.sqliteStatement, SQLITE_STMTSTATUS_VM_STEP, 0)
    }
    return (bytes.withLock { $0 }, Int(steps))
  }

  @Test("the work is linear in the length of the lists")
  func isLinear() async throws {
    let few = try await Self.work(200)
    let many = try await Self.work(2000)
    #expect(many.bytes < 16 * few.bytes, "\(few) \(many)")
    #expect(many.steps < 16 * few.steps, "\(few) \(many)")
  }

  @Test("matches in many elements are reported, up to the limit of an offer")
  func manyMatches() async throws {
    let store = try await Self.store((0..<10_000).map { "c\($0)" }, [])
    try store.execute("INSERT INTO offer_search (offer_search) VALUES ('rebuild')")
    let all = try await store.database.search(SearchQuery("c")).hits
    #expect(all.map { $0.matches.map(\.index) } == [Array(0..<SearchMarks.limit)])
  }

  @Test("an older database's offer with 200,000 categories is changed, found and reindexed")
  func manyCategories() async throws {
    let store = try await Self.store((0..<200_000).map { "c\($0)" }, [])
    try store.execute("INSERT INTO offer_search (offer_search) VALUES ('rebuild')")
    let found = try await store.database.search(SearchQuery("c199999")).hits
    // The category is behind the text in which matches are looked for.
    #expect(found.map { $0.matches.map(\.index) } == [[]])
    try await store.sync([FeedOffer("1", name: "Milk")], at: 2000)
    #expect(try await store.database.search(SearchQuery("c199999")).hits.isEmpty)
    #expect(try await store.database.search(SearchQuery("milk")).hits.count == 1)
    try store.execute("INSERT INTO offer_search (offer_search, rank) VALUES ('integrity-check', 1)")
  }
}
