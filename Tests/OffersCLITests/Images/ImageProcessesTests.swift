import Foundation
import OffersTestSupport
import Testing

@Suite("Processes that share the image cache")
struct ImageProcessesTests {
  @Test("eight processes respect the capacity and see no lock errors")
  func sharesImages() async throws {
    let server = try ImageServer(pauseMicroseconds: 20_000)
    let home = try await Home(
      synced: (0..<200).map { FeedItem("\($0)", "Tea \($0)", image: server.url("\($0)")) })
    // Squaring makes low ids more frequent, like the few offers that most people look at.
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
    #expect(held == 50)
    #expect(try home.integrity() == "ok\n")
  }
}
