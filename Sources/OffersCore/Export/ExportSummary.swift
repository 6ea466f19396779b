/// The contents of an export that was written.
public struct ExportSummary: Hashable, Sendable {
  /// The number of offers, including those that their feeds no longer have.
  public package(set) var offers = 0
  /// The number of users whose records were written.
  public package(set) var users = 0
  /// The number of favorites, including those whose offers are not stored.
  public package(set) var favorites = 0
  /// The number of changes in the history of the offers.
  public package(set) var changes = 0
  /// The size of the document in bytes.
  public package(set) var bytes = 0

  /// Creates a summary of its parts; the properties describe them.
  public init(
    offers: Int = 0, users: Int = 0, favorites: Int = 0, changes: Int = 0, bytes: Int = 0
  ) {
    self.offers = offers
    self.users = users
    self.favorites = favorites
    self.changes = changes
    self.bytes = bytes
  }

  /// Writes an export document.
  ///
  /// - Parameters:
  ///   - append: receives the next bytes of the document.
  ///   - progress: receives the number of records that have been written.
  ///   - forEachRecord: passes each record to `add`, in the order of their sections.
  package init(
    writing append: (UnsafeRawBufferPointer) throws -> Void,
    progress: @escaping (Int) -> Void = { _ in },
    _ forEachRecord: (_ add: (ExportRecord) throws -> Void) throws -> Void
  ) throws {
    var summary = (offers: 0, users: 0, favorites: 0, changes: 0, bytes: 0)
    try withoutActuallyEscaping(append) { append in
      var writer = try ExportWriter { piece in
        summary.bytes += piece.count
        try piece.withUnsafeBytes(append)
      }
      var done = 0
      try forEachRecord { record in
        try writer.add(record)
        switch record {
        case .offer: summary.offers += 1
        case .user: summary.users += 1
        case .favorite: summary.favorites += 1
        case .change: summary.changes += 1
        case .feed, .run: break
        }
        done += 1
        progress(done)
      }
      try writer.finish()
    }
    (offers, users, favorites, changes, bytes) = summary
  }
}
