import CurlShim
import OffersCore

/// libcurl, which the first request opens.
package enum CurlLibrary {
  private static let opened: Result<Void, OffersError> = SharedLibrary.open(
    "libcurl", package: "libcurl4"
  ) {
    offers_libcurl_open(&$0)
  }.flatMap { _ in
    if curl_shim_start() == CURLE_OK { return .success(()) }
    return .failure(OffersError(.limitExceeded, "The library libcurl could not be started."))
  }

  /// Opens the library on the first call.
  ///
  /// - Throws: `OffersError` with `storageFailed` if it is not installed.
  package static func open() throws(OffersError) { try opened.get() }

  /// The version, such as `7.88.1`; nil if the library is not installed.
  package static var version: String? {
    // Doctor says that it is missing.
    guard (try? open()) != nil else { return nil }
    let first = String(cString: curl_shim_version()).prefix { $0 != " " }
    return String(first.drop { $0 != "/" }.dropFirst())
  }
}
