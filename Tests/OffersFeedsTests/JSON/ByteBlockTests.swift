import OffersTestSupport
import Testing

@testable import OffersFeeds

@Suite("Byte blocks of sixteen bytes")
struct ByteBlockTests {
  private static func check(_ bytes: [UInt8]) {
    bytes.withUnsafeBufferPointer { buffer in
      guard let base = buffer.baseAddress else { return }
      let block = ByteBlock(at: base)
      func first(_ isFound: (UInt8) -> Bool) -> Int { bytes.firstIndex(where: isFound) ?? 16 }
      let end = first { $0 == 0x22 || $0 == 0x5C || $0 < 0x20 }
      #expect(block.textEnds.countBefore == end, "\(bytes)")
      #expect(block.textEnds.isEmpty == (end == 16), "\(bytes)")
      #expect(block.nonASCII.countBefore == first { $0 >= 0x80 }, "\(bytes)")
      for count in 0...16 {
        #expect(
          block.nonASCII.prefix(count).isEmpty == !bytes[..<count].contains { $0 >= 0x80 },
          "\(bytes)")
      }
      // The extra byte shows whether the copy writes past the block.
      var copy = [UInt8](repeating: 0xAA, count: 17)
      let slashes = copy.withUnsafeMutableBufferPointer { copy in
        copy.baseAddress.map { ByteBlock.copy(base, to: $0) }
      }
      #expect(copy == bytes + [0xAA])
      #expect(slashes?.countBefore == first { $0 == 0x5C }, "\(bytes)")
      #expect(slashes?.isEmpty == !bytes.contains(0x5C), "\(bytes)")
    }
  }

  @Test("each byte is classified correctly at each position")
  func singles() {
    for byte in UInt8.min...UInt8.max {
      for place in 0..<16 {
        var bytes = [UInt8](repeating: UInt8(ascii: "a"), count: 16)
        bytes[place] = byte
        Self.check(bytes)
      }
    }
  }

  @Test("the first marked byte is found among several", arguments: 1...4)
  func many(number: Int) {
    var random = SeededGenerator(number: number)
    let bytes: [UInt8] = [
      0, 0x1F, 0x20, 0x21, 0x22, 0x23, 0x5B, 0x5C, 0x5D, 0x7F, 0x80, 0xDC, 0xFF,
    ]
    for _ in 0..<TestSize.scaled(2000) {
      Self.check((0..<16).map { _ in bytes.randomElement(using: &random) ?? 0 })
    }
  }

  @Test("a union contains the marks of both blocks")
  func union() {
    var bytes = [UInt8](repeating: 0x61, count: 32)
    bytes[20] = 0x80
    bytes.withUnsafeBufferPointer { buffer in
      guard let base = buffer.baseAddress else { return }
      var seen = ByteBlock(at: base).nonASCII
      #expect(seen.isEmpty)
      seen.formUnion(ByteBlock(at: base + 16).nonASCII)
      #expect(seen.countBefore == 4)
    }
  }
}
