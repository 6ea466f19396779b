import OffersCore
import ServerShim

/// libcrypto of OpenSSL, which its first use opens.
package enum LibCrypto {
  private static let opened = SharedLibrary.open("libcrypto", package: "libssl3") {
    offers_libcrypto_open(&$0)
  }

  /// The functions of the library.
  ///
  /// - Throws: `OffersError` with `storageFailed` if it is not installed.
  static func open() throws(OffersError) -> offers_libcrypto { try opened.get() }

  /// The version, such as `3.0.22`; nil if the library is not installed.
  package static var version: String? {
    // Doctor says that it is missing.
    guard let library = try? open() else { return nil }
    return library.OpenSSL_version(OPENSSL_VERSION_STRING).map { String(cString: $0) }
  }

  /// The error of a call of this thread that has just failed: for lack of memory, or because the configuration
  /// of OpenSSL forbids an algorithm.
  ///
  /// - Parameter action: what could not be done, as the end of a sentence.
  static func failure(_ action: String, _ library: offers_libcrypto) -> OffersError {
    var buffer = [CChar](repeating: 0, count: 256)
    library.ERR_error_string_n(library.ERR_peek_last_error(), &buffer, buffer.count)
    clearFailures()
    let text = String(
      decoding: buffer.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    return OffersError(
      .limitExceeded, "OpenSSL could not \(action).",
      hint: "See the free memory and the configuration of OpenSSL.", cause: text)
  }

  /// Forgets the failures of this thread. libcurl and libpq use the same list of failures for their
  /// connections, and would take one that is left there for their own.
  static func clearFailures() {
    // A library that could not be opened has no failures.
    try? open().ERR_clear_error()
  }
}
