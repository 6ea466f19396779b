import OffersFeeds
import Testing

@testable import OffersFuzzing

@Suite("The documents that fuzzing starts from")
struct FuzzSeedTests {
  @Test("each compressed document is whole, and unpacks to the same text once or twice")
  func compressed() throws {
    let text = #"[{"id":"1","name":"Tea 1","current_value":"$1.00 Cash Back"}]"#
    let seeds = FuzzSeeds.seeds(of: .compressed)
    #expect(seeds.count == 4)
    var kinds: Set<String> = []
    for seed in seeds {
      let isRaw = ![31, 0x78].contains(seed[0])
      kinds.insert(isRaw ? "deflate" : seed[0] == 31 ? "gzip" : "zlib")
      var bytes: [UInt8] = []
      let stage = Decompressor(limitBytes: 1 << 20, isRawDeflate: isRaw)
      try seed.withUnsafeBytes { try stage.consume($0) { bytes += $0 } }
      try stage.finish { bytes += $0 }
      let unpacked = String(decoding: bytes, as: UTF8.self)
      #expect(unpacked == text || unpacked == text + text, "\(seed.prefix(4))")
    }
    #expect(kinds == ["deflate", "gzip", "zlib"])
  }
}
