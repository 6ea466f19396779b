import OffersCore

/// The SQL for small copies of images. A copy is in the row of its image, and is removed when the image is
/// replaced.
enum ThumbnailColumns {
  static func find(_ url: String, in transaction: any Transaction) throws -> StoredThumbnail? {
    if !StoredText.isStorable(url) { return nil }
    return try transaction.first(
      """
      SELECT fetched_at, fresh_until, length(bytes), thumbnail, thumbnail_problem
      FROM image_cache
      WHERE url = $1 AND (thumbnail IS NOT NULL OR thumbnail_problem IS NOT NULL)
      """, [.text(url)]
    ) { row in
      let content =
        row.findText(4).map { StoredThumbnail.Content.problem($0) } ?? .copy(row.blob(3))
      return StoredThumbnail(
        content: content, imageBytes: row.count(2), fetchedAt: row.date(0),
        freshUntil: row.date(1))
    }
  }

  /// Writes the copy of an image, or the reason why there is none, unless the row has another image.
  static func put(
    _ content: StoredThumbnail.Content, of image: CachedImage, in transaction: any Transaction
  ) throws {
    if !StoredText.isStorable(image.url) { return }
    var copy: [UInt8]?
    var problem: String?
    switch content {
    case .copy(let bytes): copy = bytes
    case .problem(let text): problem = text
    }
    try transaction.run(
      "UPDATE image_cache SET thumbnail = $3, thumbnail_problem = $4 WHERE url = $1 AND bytes = $2",
      [.text(image.url), .bytes(image.bytes), .bytes(copy), .text(problem)])
  }
}
