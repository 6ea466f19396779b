extension String {
  /// The text with each byte percent-encoded but the unreserved characters (RFC 3986, section 2.3).
  ///
  /// - Parameter others: further ASCII characters that stay as they are.
  package func percentEncoded(keeping others: String = "") -> String {
    let kept = Array("-._~\(others)".utf8)
    let digits = Array("0123456789ABCDEF".utf8)
    var text: [UInt8] = []
    text.reserveCapacity(utf8.count)
    for byte in utf8 {
      if (byte | 0x20) &- 0x61 < 26 || byte &- 0x30 < 10 || kept.contains(byte) {
        text.append(byte)
      } else {
        text += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 0xF)]]
      }
    }
    return String(decoding: text, as: UTF8.self)
  }
}
