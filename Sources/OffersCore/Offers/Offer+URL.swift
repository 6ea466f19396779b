import Foundation

/// Addresses stay texts until an app asks for them: feeds print texts that no URL represents
/// exactly, and long lists need no URL.
extension Offer {
  /// The image's address: an http or https URL with a host. Characters that a URL may not contain
  /// are percent-encoded, as in browsers.
  ///
  /// Nil when the feed provides none, and for an address that is relative, has no host, a control
  /// character, a backslash or another scheme, such as `javascript:` or `file:`.
  public var imageURL: URL? { imageURLText.flatMap(Self.webURL) }

  /// The address of the offer's own page, under the same rules as `imageURL`.
  public var url: URL? { urlText.flatMap(Self.webURL) }

  private static func webURL(_ text: String) -> URL? {
    let text = text.trimmingCharacters(in: .whitespacesAndNewlines)
    // Browsers drop control characters and treat a backslash like a slash, and other programs do
    // not: the host would depend on the reader.
    let isAmbiguous = text.utf8.contains {
      $0 < 0x20 || $0 == 0x7F || $0 == UInt8(ascii: "\\")
    }
    guard !isAmbiguous, let url = URL(printed: text), let scheme = url.scheme?.lowercased(),
      scheme == "https" || scheme == "http", url.host()?.isEmpty == false
    else { return nil }
    return url
  }
}
