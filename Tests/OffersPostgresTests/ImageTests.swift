import Foundation
import OffersCore
import OffersStore
import OffersTestSupport
import Testing

@testable import OffersPostgres

@Suite("The image cache in PostgreSQL", .timeLimit(.minutes(3)))
struct ImageTests {
  private static func image(_ number: Int) throws -> CachedImage {
    let bytes = TinyImage.png(filling: [UInt8](repeating: UInt8(number % 250), count: 10))
    let now = Date(timeIntervalSince1970: 1000)
    return CachedImage(
      url: "https://e.com/\(number).png", bytes: bytes, header: try ImageHeader(reading: bytes),
      fetchedAt: now, freshUntil: now)
  }

  @Test("the database itself refuses an image too many, whoever writes it")
  func refusesOthers() async throws {
    let (made, store) = try await OffersDatabase.openNew()
    for number in 1...50 { try await store.putImage(Self.image(number)) }
    let copy = """
      INSERT INTO image_cache
      SELECT url || 'x', content_type, width, height, etag, last_modified, fetched_at, fresh_until,
        bytes
      FROM image_cache LIMIT 1
      """
    let lower = "UPDATE image_tally SET image_limit = 49"
    for statement in [copy, lower] {
      await #expect(throws: (any Error).self) { try await made.run(statement) }
    }
    #expect(
      try await made.run("SELECT count(*), max(image_limit) FROM image_cache, image_tally")
        == "50|50")
  }
}
