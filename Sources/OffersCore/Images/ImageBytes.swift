/// Bounds-checked access to bytes: a read beyond the end yields nil.
struct ImageBytes {
  private let bytes: UnsafeRawBufferPointer

  init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

  var count: Int { bytes.count }

  subscript(index: Int) -> UInt8? {
    index >= 0 && index < bytes.count ? bytes[index] : nil
  }

  /// An unsigned big-endian number of `length` bytes, at most 4.
  func big(_ index: Int, _ length: Int) -> Int? {
    guard index >= 0, index <= bytes.count, length <= bytes.count - index else { return nil }
    return bytes[index..<index + length].reduce(0) { $0 << 8 | Int($1) }
  }

  /// An unsigned little-endian number of `length` bytes, at most 4.
  func little(_ index: Int, _ length: Int) -> Int? {
    guard index >= 0, index <= bytes.count, length <= bytes.count - index else { return nil }
    return bytes[index..<index + length].reversed().reduce(0) { $0 << 8 | Int($1) }
  }

  func has(_ expected: [UInt8], at index: Int) -> Bool {
    guard index >= 0, index <= bytes.count, expected.count <= bytes.count - index else {
      return false
    }
    return bytes[index..<index + expected.count].elementsEqual(expected)
  }

  func has(_ expected: String, at index: Int) -> Bool { has(Array(expected.utf8), at: index) }

  /// Whether a pair of bytes occurs at or after an index.
  func contains(_ first: UInt8, _ second: UInt8, from index: Int) -> Bool {
    var place = max(0, index)
    while place + 1 < bytes.count {
      if bytes[place] == first, bytes[place + 1] == second { return true }
      place += 1
    }
    return false
  }

  func start(_ length: Int) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(rebasing: bytes.prefix(length))
  }
}
