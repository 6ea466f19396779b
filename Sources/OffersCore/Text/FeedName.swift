/// The names of feeds.
package enum FeedName {
  /// Whether a text may name a feed: up to 63 lower-case ASCII letters, digits and inner hyphens,
  /// as in a label of a host name.
  package static func isValid(_ text: String) -> Bool {
    let bytes = text.utf8
    let isHyphen = { (byte: UInt8?) in byte == UInt8(ascii: "-") }
    guard (1...63).contains(bytes.count), !isHyphen(bytes.first), !isHyphen(bytes.last) else {
      return false
    }
    return bytes.allSatisfy { byte in
      (0x61...0x7A).contains(byte) || (0x30...0x39).contains(byte) || isHyphen(byte)
    }
  }
}
