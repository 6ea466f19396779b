import LibCrypto
import OffersCore

/// The failures of libcrypto. They come from a lack of memory or from a configuration of OpenSSL that
/// forbids an algorithm.
enum LibCryptoFailure {
  /// The error of a call of this thread that has just failed.
  ///
  /// - Parameter action: what could not be done, as the end of a sentence.
  static func error(_ action: String) -> OffersError {
    var buffer = [CChar](repeating: 0, count: 256)
    ERR_error_string_n(ERR_peek_last_error(), &buffer, buffer.count)
    clear()
    let text = String(
      decoding: buffer.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    return OffersError(
      .limitExceeded, "OpenSSL could not \(action).",
      hint: "See the free memory and the configuration of OpenSSL.", cause: text)
  }

  /// Forgets the failures of this thread. libcurl and libpq use the same list of failures for their
  /// connections, and would take one that is left there for their own.
  static func clear() { ERR_clear_error() }
}
