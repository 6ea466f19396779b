import OffersCore

/// The SQL for the marks of readers.
package enum ReaderTable {
  static func find(
    _ name: String, of user: User.ID, in transaction: any Transaction
  ) throws -> ReaderMark? {
    if !StoredText.isStorable(name) { return nil }
    return try transaction.first(
      "SELECT change_id, read_at FROM reader WHERE user_key = $1 AND name = $2",
      [.number(user), .text(name)]
    ) { ReaderMark(changeID: $0.number(0), readAt: $0.date(1)) }
  }

  /// The marks of a reader, by what it read.
  static func marks(
    of reader: String, user: User.ID, in transaction: any Transaction
  ) throws -> [ChangeSelection: ReaderMark] {
    let rows = try transaction.rows(
      "SELECT name, change_id, read_at FROM reader WHERE user_key = $1", [.number(user)]
    ) { (name: $0.text(0), mark: ReaderMark(changeID: $0.number(1), readAt: $0.date(2))) }
    let marks = rows.compactMap { row in
      ChangeSelection(markNamed: row.name, of: reader).map { ($0, row.mark) }
    }
    return Dictionary(marks) { first, _ in first }
  }

  /// Advances a mark, which never moves back.
  package static func advance(
    _ name: String, of user: User.ID, to mark: ReaderMark, in transaction: any Transaction
  ) throws {
    let greatest = transaction.dialect.greatest
    try transaction.run(
      """
      INSERT INTO reader (user_key, name, change_id, read_at) VALUES ($1, $2, $3, $4)
      ON CONFLICT (user_key, name) DO UPDATE SET
        change_id = \(greatest)(reader.change_id, excluded.change_id),
        read_at = \(greatest)(reader.read_at, excluded.read_at)
      WHERE excluded.change_id > reader.change_id OR excluded.read_at > reader.read_at
      """, [.number(user), .text(name), .number(mark.changeID), .date(mark.readAt)])
  }
}
