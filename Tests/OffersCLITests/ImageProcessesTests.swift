import Foundation
import OffersTestSupport
import Testing

@Suite("Processes that share the images")
struct ImageProcessesTests {
  /// Each put of an image that was not there takes a place or makes one go: so many had to be
  /// fetched. More would be two processes that fetched the same.
  @Test("eight processes stay within the bound, meet no lock, and fetch hardly anything twice")
  func sharesImages() throws {
    let server = try ImageServer(pauseMicroseconds: 20_000)
    let home = try Home(
      synced: (0..<200).map { FeedItem("\($0)", "Tea \($0)", image: server.url("\($0)")) })
    // The square makes low numbers as frequent as what people look at.
    let script = """
      look() {
        RANDOM=$1
        for turn in $(seq 25); do
          share=$((RANDOM % 1000))
          id=$((share * share * 200 / 1000000))
          offers image $id --allow-private-network | cksum >/dev/null
        done
      }
      for number in 1 2 3 4 5 6 7 8; do look $number & done
      wait
      """
    let result = try home.shell(script)
    #expect(result.errors == "")
    let cache = try home.document("cache")
    let held = (cache["images"] as? [Any])?.count ?? 0
    let evictions = try #require(cache["evictions"] as? Int)
    let fetches = server.requests.values.reduce(0, +)
    #expect(held <= 50)
    #expect(fetches >= held)
    #expect(Double(fetches) <= 1.1 * Double(held + evictions), "\(fetches), \(held), \(evictions)")
    #expect(try home.integrity() == "ok\n")
  }
}
