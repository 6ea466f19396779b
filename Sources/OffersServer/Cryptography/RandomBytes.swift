import OffersCore

/// Random bytes for secrets, of libcrypto's generator, which the kernel seeds.
enum RandomBytes {
  /// Makes random bytes.
  ///
  /// - Throws: `OffersError` if the generator cannot be seeded.
  static func make(_ count: Int) throws -> [UInt8] {
    let library = try LibCrypto.open()
    var bytes = [UInt8](repeating: 0, count: count)
    guard let size = Int32(exactly: count), library.RAND_bytes(&bytes, size) == 1 else {
      throw LibCrypto.failure("make random bytes", library)
    }
    return bytes
  }
}
