import Foundation
import GRDB
import OffersCore

/// The SQL for the copies of images for lists, which are in the rows of the images.
enum ThumbnailColumns {
  private static let findSQL = """
    SELECT fetched_at, fresh_until, length(bytes), thumbnail, thumbnail_problem
    FROM image_cache
    WHERE url = ? AND (thumbnail IS NOT NULL OR thumbnail_problem IS NOT NULL)
    """

  static func find(_ url: String, in database: Database) throws -> StoredThumbnail? {
    let statement = try RawStatement(cached: findSQL, database)
    defer { statement.reset() }
    statement.bind(1, copying: url)
    guard try statement.step() else { return nil }
    let content =
      statement.string(4).map { StoredThumbnail.Content.problem($0) } ?? .copy(statement.bytes(3))
    return StoredThumbnail(
      content: content, imageBytes: Int(clamping: statement.number(2)),
      fetchedAt: Date(storedSeconds: statement.number(0)),
      freshUntil: Date(storedSeconds: statement.number(1)))
  }

  /// Writes the copy of an image, or the reason why there is none, unless the row has another image.
  static func put(
    _ content: StoredThumbnail.Content, of image: CachedImage, in database: Database
  ) throws {
    let statement = try RawStatement(
      cached: """
        UPDATE image_cache SET thumbnail = ?, thumbnail_problem = ? WHERE url = ? AND bytes = ?
        """, database)
    statement.bind(3, copying: image.url)
    try image.bytes.withUnsafeBytes { bytes in
      statement.bind(4, bytes: bytes)
      // Unbind: the cached statement outlives the buffers.
      defer { for place in [Int32(1), 4] { statement.bindNull(place) } }
      switch content {
      case .problem(let text):
        statement.bindNull(1)
        statement.bind(2, copying: text)
        try statement.run()
      case .copy(let copy):
        statement.bindNull(2)
        try copy.withUnsafeBytes { copy in
          statement.bind(1, bytes: copy)
          try statement.run()
        }
      }
    }
  }
}
