import OffersCore

/// The SQL that reads and writes the definitions of feeds.
enum DefinitionTable {
  /// The columns of a definition, which `read` expects in this order.
  static let columns = """
    feed_definition.text, feed_definition.every_seconds, feed_definition.currency
    """

  /// The definitions, in the order in which the store got their feeds.
  static func list(in transaction: any Transaction) throws -> [StoredDefinition] {
    try transaction.rows(
      """
      SELECT feed.name, \(columns)
      FROM feed_definition JOIN feed ON feed.name = feed_definition.feed ORDER BY feed.feed_key
      """
    ) { read($0, from: 1, of: $0.text(0)) }
  }

  /// The definition of a feed, which is empty if none is stored.
  static func find(_ feed: String, in transaction: any Transaction) throws -> StoredDefinition {
    try transaction.first(
      "SELECT \(columns) FROM feed_definition WHERE feed = $1", [.text(feed)]
    ) { read($0, from: 0, of: feed) } ?? StoredDefinition(feed: feed)
  }

  /// Replaces the definition of a feed; an empty one is removed.
  static func put(_ definition: StoredDefinition, in transaction: any Transaction) throws {
    try transaction.run("DELETE FROM feed_definition WHERE feed = $1", [.text(definition.feed)])
    if definition.isEmpty { return }
    try transaction.run(
      """
      INSERT INTO feed_definition (feed, text, every_seconds, currency) VALUES ($1, $2, $3, $4)
      """,
      [
        .text(definition.feed), .text(definition.text),
        .number(definition.everySeconds.map(Int64.init)), .text(definition.currency),
      ])
  }

  static func read(_ row: any SQLRow, from first: Int, of feed: String) -> StoredDefinition {
    StoredDefinition(
      feed: feed, text: row.findText(first),
      everySeconds: row.findNumber(first + 1).map { Int(clamping: $0) },
      currency: row.findText(first + 2))
  }
}
