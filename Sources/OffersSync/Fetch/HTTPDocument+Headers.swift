import OffersCore

extension HTTPDocument {
  /// The header fields of a request.
  func headers(for address: String) -> [HeaderField] {
    var fields = [
      HeaderField("user-agent", "offers/\(Version.current)"),
      HeaderField(
        "accept",
        isImage
          ? "image/avif, image/webp, image/png, image/jpeg, image/gif"
          : "application/json, application/xml, text/xml, */*;q=0.5"),
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
