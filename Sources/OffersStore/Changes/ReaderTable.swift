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
