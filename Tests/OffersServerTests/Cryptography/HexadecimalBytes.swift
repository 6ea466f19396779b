import Testing

extension [UInt8] {
  /// The bytes of a hexadecimal text of a test.
  init(hexadecimal text: String) throws {
    let digits = try text.map { try #require($0.hexDigitValue) }
    self = stride(from: 0, to: digits.count - 1, by: 2).map {
      UInt8(digits[$0] << 4 | digits[$0 + 1])
    }
  }
}
