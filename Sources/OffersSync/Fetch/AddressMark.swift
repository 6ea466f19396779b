import OffersCore

/// A hash of a document's URL. It is stored instead of the URL, which may contain secrets: the
/// values of environment variables.
enum AddressMark {
  /// The hash of a URL as 32 hexadecimal digits.
  static func of(_ address: String) -> String {
    var hash = DocumentHash()
    var address = address
    address.withUTF8 { hash.update(UnsafeRawBufferPointer($0)) }
    return hash.finish().hexadecimal
  }
}
