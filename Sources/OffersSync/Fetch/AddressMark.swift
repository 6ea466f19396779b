import OffersCore

/// A hash of a document's address, stored in its place because the address may contain secrets: the
/// values of variables.
enum AddressMark {
  /// The address's hash as 32 hexadecimal digits.
  static func of(_ address: String) -> String {
    var hash = DocumentHash()
    var address = address
    address.withUTF8 { hash.update(UnsafeRawBufferPointer($0)) }
    return hash.finish().map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }
}
