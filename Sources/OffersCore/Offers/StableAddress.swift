/// An address without the parameters that do not say what is at it: signatures, which a server renews each
/// time, and version tokens, by which browsers are kept from a cache.
///
/// A parameter is one only if its name is known and its value looks like it. Version tokens tell nothing only
/// of one and the same offer: `image.php?v=1` and `image.php?v=2` of two offers may be two pictures.
package enum StableAddress {
  /// Whether two addresses of one offer lead to the same.
  package static func areSame(_ one: some Collection<UInt8>, _ other: some Collection<UInt8>)
    -> Bool
  {
    one.elementsEqual(other)
      || (one.contains(question) || other.contains(question)) && of(one) == of(other)
  }

  /// What tells the picture of an offer from others: the address without its signatures, and without version
  /// tokens if it names a file.
  package static func ofPicture(_ address: some Collection<UInt8>) -> [UInt8] {
    let path = address.prefix { $0 != question && $0 != UInt8(ascii: "#") }
    let end = String(decoding: path.suffix(5), as: UTF8.self).lowercased()
    return of(address, keepsVersions: !files.contains { end.hasSuffix($0) })
  }

  private static let files = [".png", ".jpg", ".jpeg", ".gif", ".webp", ".avif"]

  /// The address without its signatures and version tokens; the same bytes if it has none.
  package static func of(
    _ address: some Collection<UInt8>, keepsVersions: Bool = false
  ) -> [UInt8] {
    guard let query = address.firstIndex(of: question) else { return Array(address) }
    let end = address[query...].firstIndex(of: UInt8(ascii: "#")) ?? address.endIndex
    let parts = address[address.index(after: query)..<end]
      .split(separator: UInt8(ascii: "&"), omittingEmptySubsequences: false)
      .map { (text: Array($0), parameter: Parameter($0)) }
    let names = Set(parts.map(\.parameter.name))
    let kept = parts.filter {
      !$0.parameter.isSignature(beside: names) && (keepsVersions || !$0.parameter.isVersion)
    }
    if kept.count == parts.count { return Array(address) }
    let rest = Array(kept.map(\.text).joined(separator: [UInt8(ascii: "&")]))
    return Array(address[..<query]) + (rest.isEmpty ? [] : [question] + rest) + address[end...]
  }

  private static let question = UInt8(ascii: "?")
}

/// A parameter of a query.
private struct Parameter {
  /// In lower case.
  let name: String
  private let value: String

  init(_ text: some Collection<UInt8>) {
    let parts = text.split(
      separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
    name = String(decoding: parts[0], as: UTF8.self).lowercased()
    value = parts.count > 1 ? String(decoding: parts[1], as: UTF8.self) : ""
  }

  /// Whether the parameter is a signature or a part of one.
  ///
  /// - Parameter names: those of all parameters.
  func isSignature(beside names: Set<String>) -> Bool {
    if Self.signedPrefixes.contains(where: name.hasPrefix) { return true }
    if Self.groups.contains(where: { $0.names.contains(name) && names.isSuperset(of: $0.marks) }) {
      return true
    }
    if Self.secrets.contains(name) {
      return isHash || value.contains("hmac") && value.contains("exp")
    }
    return Self.expiries.contains(name) && isTime
  }

  var isVersion: Bool {
    Self.versions.contains(name) && (isNumber || isTime || isHash || isRevision)
  }

  /// AWS and those who sign like it, Google, Alibaba, Tencent, Volcano, and Facebook's network.
  private static let signedPrefixes = ["x-amz-", "x-goog-", "x-oss-", "x-cos-", "x-tos-", "_nc_"]

  /// Parameters that are parts of a signature if all of the `marks` are there: of Azure (SAS), CloudFront,
  /// Facebook and Discord.
  private static let groups: [(marks: Set<String>, names: Set<String>)] = [
    (
      ["sig", "sv"],
      [
        "sig", "sv", "se", "st", "sp", "sr", "spr", "sip", "si", "ss", "srt", "sdd", "ske", "skoid",
        "sks", "skt", "sktid", "skv",
      ]
    ),
    (["signature", "key-pair-id"], ["signature", "key-pair-id", "policy", "expires"]),
    (["signature", "awsaccesskeyid"], ["signature", "awsaccesskeyid", "expires"]),
    (["signature", "googleaccessid"], ["signature", "googleaccessid", "expires"]),
    (
      ["signature", "ossaccesskeyid"], ["signature", "ossaccesskeyid", "expires", "security-token"]
    ),
    (["oh", "oe"], ["oh", "oe"]), (["ex", "is", "hm"], ["ex", "is", "hm"]),
  ]

  /// Names of a hash that only the server can make.
  private static let secrets: Set<String> = [
    "token", "signature", "sig", "sign", "s", "hmac", "hdnts", "hdnea", "hdntl",
    "__token__",
    "__gda__", "auth_key", "verify", "policy", "st", "x-signature",
  ]

  private static let expiries: Set<String> = ["expires", "expiry", "exp", "e", "x-expires"]

  private static let versions: Set<String> = [
    "t", "v", "ver", "version", "_", "_t", "_v", "ts", "_ts", "timestamp", "cb", "cachebuster",
    "cachebust", "cache", "bust", "nocache", "rev", "revision", "rnd", "rand", "random", "mtime",
    "modified", "lastmod", "hash", "md5", "updated", "updated_at", "last_modified",
  ]

  /// A number or a version with points.
  private var isNumber: Bool {
    (1...20).contains(value.utf8.count) && value.utf8.first != UInt8(ascii: ".")
      && value.utf8.allSatisfy { Self.isDigit($0) || $0 == UInt8(ascii: ".") }
  }

  /// Seconds or milliseconds since 1970, or a date that begins with the year.
  private var isTime: Bool {
    let bytes = Array(value.utf8)
    if (9...13).contains(bytes.count), bytes.allSatisfy(Self.isDigit) { return true }
    return bytes.count >= 8 && bytes.prefix(4).allSatisfy(Self.isDigit)
      && bytes.allSatisfy { Self.isDigit($0) || "-:.+TZtz%".utf8.contains($0) }
  }

  /// A short hash of a version, such as `3f2a1b9`.
  private var isRevision: Bool {
    value.utf8.count >= 6 && value.utf8.contains(where: Self.isDigit)
      && value.utf8.allSatisfy(Self.isHexadecimal)
  }

  /// At least 16 hexadecimal digits, or at least 20 characters of Base64: digits and letters of both cases,
  /// unlike the words of a text.
  private var isHash: Bool {
    let bytes = value.utf8
    if bytes.count >= 16, bytes.allSatisfy(Self.isHexadecimal) { return true }
    return bytes.count >= 20 && bytes.contains(where: Self.isDigit)
      && bytes.contains(where: Self.isSmall) && bytes.contains(where: Self.isCapital)
      && bytes.allSatisfy {
        Self.isDigit($0) || Self.isSmall($0) || Self.isCapital($0) || "+/=-_.~%:".utf8.contains($0)
      }
  }

  private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }
  private static func isSmall(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte) }
  private static func isCapital(_ byte: UInt8) -> Bool { (0x41...0x5A).contains(byte) }
  private static func isHexadecimal(_ byte: UInt8) -> Bool {
    isDigit(byte) || (0x61...0x66).contains(byte | 0x20)
  }
}
