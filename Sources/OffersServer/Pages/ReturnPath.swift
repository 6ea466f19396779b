import OffersCore

/// The path of a page of this server to which a login, or a form, returns.
///
/// It comes from a request, so from anybody. Browsers resolve it against the address of the response before
/// they ask for it: they treat a backslash like a slash, and remove segments of dots, encoded ones as well
/// (https://url.spec.whatwg.org/#path-state). So only texts are accepted that browsers leave as they are.
enum ReturnPath {
  /// The maximum length, in bytes.
  private static let byteLimit = 4096

  /// The pages that have a path of their own; `*` stands for any one segment.
  private static let pages: [[String]] =
    [
      [], ["changes"], ["favorites"], ["feeds", "*"], ["household"], ["offers", "*"], ["offline"],
      ["search"], ["settings"], ["settings", "add-feed"], ["users"], ["web"], ["welcome"],
    ] + SettingsSection.allCases.map { ["settings", $0.rawValue] }

  /// The path, with its query and fragment, and without a slash at its end; the start page for any text that
  /// is no path of a known page in printable ASCII.
  static func checked(_ text: String?) -> String {
    guard let text, text.utf8.count <= byteLimit,
      text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "\\") })
    else { return "/" }
    // The text is ASCII, in which each character is a byte.
    let path = text.prefix { $0 != "?" && $0 != "#" }
    var segments = path.split(scalar: "/", omittingEmptySubsequences: false)
    guard segments.count >= 2, segments.removeFirst().isEmpty else { return "/" }
    if segments.last?.isEmpty == true { segments.removeLast() }
    guard pages.contains(where: { matches(segments, $0) }), segments.allSatisfy(isPlain) else {
      return "/"
    }
    return "/" + segments.joined(separator: "/") + text[path.endIndex...]
  }

  /// As `checked`, but `/web` and `/search` lose their query: another site may have linked to the login,
  /// and the redirect behind it would look like a request of this one.
  static func withoutEffect(_ text: String?) -> String { PageRequest.withoutEffect(checked(text)) }

  private static func matches(_ segments: [Substring], _ page: [String]) -> Bool {
    segments.count == page.count && zip(segments, page).allSatisfy { $1 == "*" || $0 == $1 }
  }

  /// Whether browsers keep a segment.
  private static func isPlain(_ segment: Substring) -> Bool {
    guard let name = PercentCode.decode(segment) else { return false }
    return !["", ".", ".."].contains(name)
  }
}
