import OffersTestSupport
import Testing

@testable import OffersFeeds

@Suite("Sixteen bytes at once")
struct ByteBlockTests {
  private static func check(_ bytes: [UInt8]) {
    bytes.withUnsafeBufferPointer { buffer in
      guard let base = buffer.baseAddress else { return }
      let block = ByteBlock(at: base)
      func first(_ isFound: (UInt8) -> Bool) -> Int { bytes.firstIndex(where: isFound) ?? 16 }
      let end = first { $0 == 0x22 || $0 == 0x5C || $0 < 0x20 }
      #expect(block.textEnds.countBefore == end, "\(bytes)")
      #expect(block.textEnds.isEmpty == (end == 16), "\(bytes)")
      let slash = first { $0 == 0x5C }
      #expect(block.backslashes.countBefore == slash, "\(bytes)")
      #expect(block.backslashes.isEmpty == (slash == 16), "\(bytes)")
      for count in 0..<16 {
        #expect(
          block.prefix(count).hasNonASCII == bytes[..<count].contains { $0 >= 0x80 }, "\(bytes)")
      }
      #expect(block.hasNonASCII == bytes.contains { $0 >= 0x80 }, "\(bytes)")
      var copy = [UInt8](repeating: 0, count: 16)
      copy.withUnsafeMutableBufferPointer { if let base = $0.baseAddress { block.store(to: base) } }
      #expect(copy == bytes)
    }
  }

  @Test("any byte at any place is seen for what it is")
  func singles() {
    for byte in UInt8.min...UInt8.max {
      for place in 0..<16 {
        var bytes = [UInt8](repeating: UInt8(ascii: "a"), count: 16)
        bytes[place] = byte
        Self.check(bytes)
      }
    }
  }

  @Test("the first is found among many", arguments: 1...4)
  func many(seed: Int) {
    var random = SeededGenerator(seed: UInt64(seed))
    let bytes: [UInt8] = [
      0, 0x1F, 0x20, 0x21, 0x22, 0x23, 0x5B, 0x5C, 0x5D, 0x7F, 0x80, 0xDC, 0xFF,
    ]
    for _ in 0..<2000 {
      Self.check((0..<16).map { _ in bytes.randomElement(using: &random) ?? 0 })
    }
  }

  @Test("what is put together has what is in either")
  func union() {
    let plain = [UInt8](repeating: 0x61, count: 16)
    let high = [UInt8](repeating: 0x80, count: 16)
    let (one, other) = plain.withUnsafeBufferPointer { plain in
      high.withUnsafeBufferPointer { high in
        (plain.baseAddress.map(ByteBlock.init(at:)), high.baseAddress.map(ByteBlock.init(at:)))
      }
    }
    var both = one ?? ByteBlock()
    #expect(!both.hasNonASCII && !ByteBlock().hasNonASCII)
    both.formUnion(other ?? ByteBlock())
    #expect(both.hasNonASCII)
  }
}
