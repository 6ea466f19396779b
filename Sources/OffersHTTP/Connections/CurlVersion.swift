import CurlShim

/// The version of the loaded libcurl.
package enum CurlVersion {
  /// Such as `7.88.1`.
  package static var text: String {
    // `curl_version()` names libcurl first: "libcurl/7.88.1 OpenSSL/3.0.11 …".
    let all = String(cString: curl_version())
    let first = all.prefix { $0 != " " }
    return String(first.drop { $0 != "/" }.dropFirst())
  }
}
