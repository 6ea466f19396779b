import ZLib

/// Makes ZIP archives for tests.
struct ZIPArchive {
  private(set) var bytes: [UInt8] = []
  private var directory: [UInt8] = []
  private var count = 0

  /// - Parameters:
  ///   - isStored: whether the files are stored without a compression.
  ///   - isStreamed: whether sizes and checksums follow the data, as in archives that are written to a pipe.
  init(_ files: [(name: String, text: String)], isStored: Bool = false, isStreamed: Bool = false) {
    for (name, text) in files {
      add(name, Array(text.utf8), isStored: isStored, isStreamed: isStreamed)
    }
    let start = bytes.count
    bytes += directory + [0x50, 0x4B, 5, 6] + Self.number(0, 4)
    bytes += Self.number(count, 2) + Self.number(count, 2) + Self.number(directory.count, 4)
    bytes += Self.number(start, 4) + Self.number(0, 2)
  }

  private mutating func add(_ name: String, _ content: [UInt8], isStored: Bool, isStreamed: Bool) {
    let data = isStored ? content : Deflate.raw(content)
    let checksum = Int(
      content.withUnsafeBufferPointer { crc32(0, $0.baseAddress, UInt32($0.count)) })
    let sizes =
      Self.number(checksum, 4) + Self.number(data.count, 4) + Self.number(content.count, 4)
    let common =
      Self.number(20, 2) + Self.number(isStreamed ? 8 : 0, 2) + Self.number(isStored ? 0 : 8, 2)
      + Self.number(0, 4) + (isStreamed ? Self.number(0, 12) : sizes)
      + Self.number(name.utf8.count, 2) + Self.number(0, 2)
    directory += [0x50, 0x4B, 1, 2] + Self.number(20, 2) + common + Self.number(0, 10)
    directory += Self.number(bytes.count, 4) + Array(name.utf8)
    bytes += [0x50, 0x4B, 3, 4] + common + Array(name.utf8) + data
    if isStreamed { bytes += [0x50, 0x4B, 7, 8] + sizes }
    count += 1
  }

  private static func number(_ number: Int, _ count: Int) -> [UInt8] {
    (0..<count).map { $0 < 8 ? UInt8(truncatingIfNeeded: number >> (8 * $0)) : 0 }
  }
}
