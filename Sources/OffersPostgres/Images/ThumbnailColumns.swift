import OffersCore

/// The SQL for the copies of images for lists, which are in the rows of the images. A trigger removes them
/// when another image takes the row.
enum ThumbnailColumns {
  static func find(_ url: String, in session: DatabaseSession) throws -> StoredThumbnail? {
    if url.utf8.contains(0) { return nil }
    let row = try session.rows(
      """
      SELECT fetched_at, fresh_until, length(bytes), thumbnail, thumbnail_problem
      FROM image_cache
      WHERE url = $1 AND (thumbnail IS NOT NULL OR thumbnail_problem IS NOT NULL)
      """, [.text(url)]
    ).first
    guard let row else { return nil }
    let content =
      row.findText(4).map { StoredThumbnail.Content.problem($0) }
      ?? .copy(row.findBytes(3).map { Array($0) } ?? [])
    return StoredThumbnail(
      content: content, imageBytes: row.count(2), fetchedAt: row.date(0), freshUntil: row.date(1))
  }

  /// Writes the copy of an image, or the reason why there is none, unless the row has another image.
  static func put(
    _ content: StoredThumbnail.Content, of image: CachedImage, in session: DatabaseSession
  ) throws {
    if image.url.utf8.contains(0) { return }
    var copy: [UInt8]?
    var problem: String?
    switch content {
    case .copy(let bytes): copy = bytes
    case .problem(let text): problem = text
    }
    try session.run(
      "UPDATE image_cache SET thumbnail = $3, thumbnail_problem = $4 WHERE url = $1 AND bytes = $2",
      [.text(image.url), .bytes(image.bytes), .bytes(copy), .text(problem)])
  }
}
