import GRDB
import OffersCore
import OffersStore

/// The images whose bytes have another format or size in pixels than their row states, or are unreadable as
/// an image.
struct DamagedImages {
  private(set) var urls: [String] = []
  /// The number of all images.
  private(set) var imageCount = 0

  init(in database: Database) throws {
    try SQLiteTransaction(database).forEach(
      "SELECT url, content_type, width, height, bytes, thumbnail FROM image_cache ORDER BY url"
    ) { row in
      imageCount += 1
      // An unreadable header is a damaged image, whatever the error.
      let header = try? ImageHeader(reading: row.blob(4))
      let copy = row.blob(5)
      let isCopyDamaged = !copy.isEmpty && (try? ImageHeader(reading: copy)) == nil
      if isCopyDamaged || header?.format.contentType != row.findText(1)
        || header?.width != Int(row.number(2)) || header?.height != Int(row.number(3)),
        let url = row.findText(0)
      {
        urls.append(url)
      }
    }
  }

  func delete(in database: Database) throws {
    try ImageTable.delete(urls, in: SQLiteTransaction(database))
  }
}
