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
    let rows = try RawStatement(
      database,
      "SELECT url, content_type, width, height, bytes, thumbnail FROM image_cache ORDER BY url")
    defer { rows.reset() }
    while try rows.step() {
      imageCount += 1
      // An unreadable header is a damaged image, whatever the error.
      let header = try? ImageHeader(reading: rows.blob(4))
      let copy = rows.blob(5)
      let isCopyDamaged = !copy.isEmpty && (try? ImageHeader(reading: copy)) == nil
      if isCopyDamaged || header?.format.contentType != rows.findText(1)
        || header?.width != Int(rows.number(2)) || header?.height != Int(rows.number(3)),
        let url = rows.findText(0)
      {
        urls.append(url)
      }
    }
  }

  func delete(in database: Database) throws {
    try ImageTable.delete(urls, in: SQLiteTransaction(database))
  }
}
