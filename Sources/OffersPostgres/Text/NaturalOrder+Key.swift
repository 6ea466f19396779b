import OffersCore

extension NaturalOrder {
  /// A key whose bytes are ordered as the texts are, for stores that compare bytes: two keys are equal
  /// if the texts are equal in this order.
  package static func key(_ text: UnsafeRawBufferPointer) -> [UInt8] {
    var letters = Letters(text)
    var key: [UInt8] = []
    key.reserveCapacity(text.count + 4)
    while let letter = letters.next() {
      if isDigit(letter) {
        appendNumber(letter, &letters, to: &key)
      } else if letter < 0x80 {
        key.append(UInt8(letter))
      } else if let scalar = Unicode.Scalar(letter), let bytes = UTF8.encode(scalar) {
        // UTF-8 keeps the order of code points.
        key.append(contentsOf: bytes)
      }
    }
    return key
  }

  /// The key of a text; see `key(_:)`.
  package static func key(_ text: String) -> [UInt8] {
    var text = text
    return text.withUTF8 { key(UnsafeRawBufferPointer($0)) }
  }

  /// Appends a number, whose first digit has been read: a digit, which compares with other letters as
  /// any digit does, the number's length without leading zeros, and its digits.
  private static func appendNumber(
    _ first: UInt32, _ letters: inout Letters, to key: inout [UInt8]
  ) {
    var digits: [UInt8] = []
    var digit: UInt32? = first
    while let next = digit {
      if digits == [UInt8(zero)] { digits = [] }
      digits.append(UInt8(next))
      digit = letters.nextDigit()
    }
    key.append(UInt8(zero))
    key += [UInt8](repeating: .max, count: digits.count / 255)
    key.append(UInt8(digits.count % 255))
    key += digits
  }
}
