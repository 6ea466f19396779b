import OffersCore

/// Stands for an address by which a document was had, without showing it: there may be the values of
/// variables in it.
enum AddressMark {
  /// The address's hash as 32 hexadecimal digits.
  static func of(_ address: String) -> String {
    var hash = DocumentHash()
    var address = address
    address.withUTF8 { hash.update(UnsafeRawBufferPointer($0)) }
    return hash.finish().map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }
}
