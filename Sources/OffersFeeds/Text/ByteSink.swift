/// Receives the next bytes of a document, which are valid during the call only.
package typealias ByteSink = (UnsafeRawBufferPointer) throws -> Void

extension UnsafeRawBufferPointer {
  /// The bytes from `start` up to `end`, exclusive, without copying.
  @inline(__always)
  func slice(_ start: Int, _ end: Int) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(rebasing: self[start..<end])
  }

  /// The bytes from `start` to the end, without copying.
  @inline(__always)
  func tail(from start: Int) -> UnsafeRawBufferPointer { slice(start, count) }

  /// Whether `text` is at `start`; nil when the bytes end before this is known.
  func matches(_ text: StaticString, at start: Int) -> Bool? {
    let wanted = text.utf8CodeUnitCount
    let present = Swift.min(wanted, count - start)
    for index in 0..<present where self[start + index] != text.utf8Start[index] { return false }
    return present == wanted ? true : nil
  }

  /// The bytes without ASCII whitespace and control characters at the start and the end.
  func trimmed() -> UnsafeRawBufferPointer {
    var start = 0
    var end = count
    while start < end, self[start] <= 0x20 { start += 1 }
    while end > start, self[end - 1] <= 0x20 { end -= 1 }
    return slice(start, end)
  }

  /// Whether the bytes are on one line, with single spaces between words and none around them.
  var isTidy: Bool {
    var wasSpace = true
    for byte in self {
      if byte &- 9 < 5 { return false }
      let isSpace = byte == 0x20
      if isSpace, wasSpace { return false }
      wasSpace = isSpace
    }
    return isEmpty || !wasSpace
  }

  /// Whether there is nothing but ASCII whitespace and control characters.
  var isBlank: Bool { allSatisfy { $0 <= 0x20 } }
}
