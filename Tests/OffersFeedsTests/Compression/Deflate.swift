import ZLib

/// Compresses bytes for tests.
enum Deflate {
  static func gzip(_ bytes: [UInt8]) -> [UInt8] { pack(bytes, windowBits: 31) }
  static func zlib(_ bytes: [UInt8], windowBits: Int32 = 15) -> [UInt8] {
    pack(bytes, windowBits: windowBits)
  }
  static func raw(_ bytes: [UInt8], level: Int32 = 9) -> [UInt8] {
    pack(bytes, windowBits: -15, level: level)
  }

  private static func pack(_ bytes: [UInt8], windowBits: Int32, level: Int32 = 9) -> [UInt8] {
    var stream = z_stream()
    deflateInit2_(
      &stream, level, Z_DEFLATED, windowBits, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION,
      Int32(MemoryLayout<z_stream>.size))
    defer { deflateEnd(&stream) }
    var input = bytes
    var output = [UInt8](repeating: 0, count: bytes.count + bytes.count / 100 + 256)
    input.withUnsafeMutableBufferPointer { source in
      output.withUnsafeMutableBufferPointer { target in
        stream.next_in = source.baseAddress
        stream.avail_in = UInt32(source.count)
        stream.next_out = target.baseAddress
        stream.avail_out = UInt32(target.count)
        _ = deflate(&stream, Z_FINISH)
      }
    }
    return Array(output.prefix(Int(stream.total_out)))
  }
}
