import OffersPlatform
import Testing

@Suite("Conversions of encodings")
struct CharsetConversionTests {
  private func convert(_ bytes: [UInt8], room: Int = 64) throws -> (
    text: String, taken: Int, stop: CharsetConversion.Stop
  ) {
    let conversion = try #require(CharsetConversion(from: "SHIFT_JIS", to: "UTF-8"))
    return withUnsafeTemporaryAllocation(byteCount: room, alignment: 1) { output in
      let step = bytes.withUnsafeBytes { conversion.convert($0, into: output) }
      return (String(decoding: output[..<step.written], as: UTF8.self), step.taken, step.stop)
    }
  }

  @Test("a conversion says why it stopped")
  func stops() throws {
    let tea: [UInt8] = [0x92, 0x83]
    #expect(try convert(tea) == ("茶", 2, .done))
    #expect(try convert(tea + [0x92]) == ("茶", 2, .cut))
    #expect(try convert(tea + [0xFF, 0x41]) == ("茶", 2, .invalid))
    #expect(try convert(tea + tea, room: 4) == ("茶", 2, .full))
  }

  @Test("an unknown encoding is refused")
  func unknown() {
    #expect(CharsetConversion(from: "no-such-encoding", to: "UTF-8") == nil)
  }
}
