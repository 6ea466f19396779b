import OffersTestSupport
import Testing

@testable import OffersFeeds

@Suite("Hexadecimal digits of an escape")
struct HexDigitsTests {
  private static func digits(_ bytes: [UInt8]) -> HexDigits? {
    bytes.withUnsafeBufferPointer { $0.baseAddress.map(HexDigits.init) }
  }

  @Test("each number is parsed, in lower and upper case")
  func readsAll() {
    for number in 0..<0x1_0000 as Range<UInt32> {
      let bare = String(number, radix: 16)
      let small = String(repeating: "0", count: 4 - bare.count) + bare
      for text in [small, small.uppercased(), small.prefix(2) + small.suffix(2).uppercased()] {
        let digits = Self.digits(Array(text.utf8))
        guard digits?.areValid == true, digits?.value == number else {
          Issue.record("\(text)")
          continue
        }
      }
    }
  }

  @Test("any other byte is refused at any position")
  func refusesAllElse() {
    let valid = Set("0123456789abcdefABCDEF".utf8)
    for byte in UInt8.min ... .max {
      for place in 0..<4 {
        for other in "09AFaf".utf8 {
          var bytes = [UInt8](repeating: other, count: 4)
          bytes[place] = byte
          #expect(Self.digits(bytes)?.areValid == valid.contains(byte), "\(bytes)")
        }
      }
    }
    #expect(Self.digits([0xFF, 0xFF, 0xFF, 0xFF])?.areValid == false)
    #expect(Self.digits([0xB0, 0x30, 0x30, 0x30])?.areValid == false)
  }
}
