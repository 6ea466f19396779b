import OffersCore

extension DocumentFetch {
  /// The types of feeds first, then those that other documents have, too: a server may offer a feed beside
  /// an index of its API (RFC 9110, section 12.5.1).
  private static let feedTypes = [
    "application/feed+json", "application/rss+xml", "application/atom+xml",
    "application/json;q=0.9",
    "application/xml;q=0.9", "text/xml;q=0.9", "*/*;q=0.5",
  ].joined(separator: ", ")

  /// The header fields of a request.
  func headers(for address: String) -> [HeaderField] {
    var fields = [
      HeaderField("user-agent", "offers/\(Version.current)"),
      HeaderField(
        "accept",
        isImage
          ? "image/avif, image/webp, image/png, image/jpeg, image/gif"
          : Self.feedTypes),
      // The formats of images are already compressed.
      HeaderField("accept-encoding", isImage ? "identity" : "gzip, deflate"),
    ]
    if condition.applies(to: address) {
      log.answer.isConditional = true
      fields += condition.validators.conditions.map { HeaderField($0.name, $0.value) }
    }
    // The definition's headers, which may hold a secret, are not sent to other origins.
    if isNamed(address) {
      for (name, value) in headers { fields.replace(name, with: value) }
    }
    return fields
  }
}
