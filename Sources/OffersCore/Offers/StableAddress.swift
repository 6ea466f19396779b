/// An address without the parameters that do not say what is at it: signatures, which a server renews each
/// time, and version tokens, by which browsers are kept from a cache.
///
/// A parameter is one only if its name is known and its value looks like it; one without a name only if it is
/// a time. Version tokens, and the ids of sessions in parameters, tell nothing only of one and the same offer:
/// `image.php?v=1` and `image.php?v=2` of two offers may be two pictures.
package enum StableAddress {
  /// Whether two addresses of one offer lead to the same.
  package static func areSame(_ one: some Collection<UInt8>, _ other: some Collection<UInt8>)
    -> Bool
  {
    one.elementsEqual(other)
      || (one.contains(where: isMark) || other.contains(where: isMark)) && of(one) == of(other)
  }

  /// What tells the picture of an offer from others: the address without its signatures, and without version
  /// tokens if it names a file.
  package static func ofPicture(_ address: some Collection<UInt8>) -> [UInt8] {
    let path = address.prefix { !isMark($0) && $0 != UInt8(ascii: "#") }
    let end = String(decoding: path.suffix(5), as: UTF8.self).lowercased()
    return of(address, keepsVersions: !files.contains { end.hasSuffix($0) })
  }

  private static let files = [".png", ".jpg", ".jpeg", ".gif", ".webp", ".avif"]

  /// The address without its signatures and version tokens; the same bytes if it has none.
  package static func of(
    _ address: some Collection<UInt8>, keepsVersions: Bool = false
  ) -> [UInt8] {
    let address = withoutSession(Array(address))
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

  /// The address without the id of a session that Java's servers write behind its path.
  private static func withoutSession(_ address: [UInt8]) -> [UInt8] {
    guard let start = address.firstIndex(of: UInt8(ascii: ";")) else { return address }
    let end = address[start...].firstIndex { $0 == question || $0 == UInt8(ascii: "#") }
    let value = Parameter(address[(start + 1)..<(end ?? address.endIndex)])
    if !value.isSession { return address }
    return Array(address[..<start] + address[(end ?? address.endIndex)...])
  }

  /// Whether a byte may begin a signature or a version token.
  private static func isMark(_ byte: UInt8) -> Bool {
    byte == question || byte == UInt8(ascii: ";")
  }

  private static let question = UInt8(ascii: "?")
}

/// A parameter of a query.
private struct Parameter {
  /// In lower case.
  let name: String
  private let value: String
  private let hasValue: Bool

  init(_ text: some Collection<UInt8>) {
    let parts = text.split(
      separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
    name = String(decoding: parts[0], as: UTF8.self).lowercased()
    hasValue = parts.count > 1
    value = hasValue ? String(decoding: parts[1], as: UTF8.self) : ""
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
    if !hasValue { return Self.isRecentTime(name) }
    if name == "r" { return value.hasPrefix("0.") && value.utf8.count >= 6 && isNumber }
    let plain = name.filter { $0 != "_" && $0 != "-" }
    return (Self.versions.contains(name) || Self.versions.contains(plain))
      && (isNumber || isTime || isHash || isRevision || isRelease) || isSession
  }

  /// Whether the parameter is the id of a session.
  var isSession: Bool {
    if name == "sid" { return isHash }
    return Self.sessions.contains(name) && value.utf8.count >= 16
      && value.utf8.contains(where: Self.isDigit)
      && value.utf8.allSatisfy {
        Self.isDigit($0) || Self.isSmall($0 | 0x20) || "-_.!,".utf8.contains($0)
      }
  }

  private static let sessions: Set<String> = [
    "jsessionid", "phpsessid", "sessionid", "session_id", "sessid",
  ]

  /// AWS and those who sign like it, Google, Alibaba, Tencent, Volcano, and Facebook's network.
  private static let signedPrefixes = ["x-amz-", "x-goog-", "x-oss-", "x-cos-", "x-tos-", "_nc_"]

  /// Parameters that are parts of a signature if all of the `marks` are there: of Azure (SAS), CloudFront,
  /// Facebook, Discord, Tencent, Firebase and Drupal.
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
    (
      ["q-sign-algorithm", "q-signature"],
      [
        "q-sign-algorithm", "q-ak", "q-sign-time", "q-key-time", "q-header-list",
        "q-url-param-list", "q-signature",
      ]
    ),
    (["alt", "token"], ["token"]), (["itok"], ["itok"]),
  ]

  /// Names of a hash that only the server can make.
  private static let secrets: Set<String> = [
    "token", "signature", "sig", "sign", "s", "hmac", "hdnts", "hdnea", "hdntl",
    "__token__",
    "__gda__", "auth_key", "verify", "policy", "st", "x-signature", "access_token", "auth",
    "auth_token",
  ]

  private static let expiries: Set<String> = ["expires", "expiry", "exp", "e", "x-expires"]

  private static let versions: Set<String> = [
    "t", "v", "ver", "version", "_", "_t", "_v", "ts", "_ts", "timestamp", "cb", "cachebuster",
    "cachebust", "cache", "bust", "nocache", "rev", "revision", "rnd", "rand", "random", "mtime",
    "modified", "lastmod", "hash", "md5", "updated", "updatedat", "lastmodified", "cachekey",
    "etag", "checksum", "digest", "fingerprint",
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

  /// Seconds or milliseconds between 2001 and 2033, or a day or time in the years from 1990 to 2099, such as
  /// `20261128`.
  private static func isRecentTime(_ text: String) -> Bool {
    guard text.utf8.allSatisfy(isDigit), let number = Int(text) else { return false }
    switch text.utf8.count {
    case 10: return number < 2_000_000_000 && number >= 1_000_000_000
    case 13: return (1_000_000_000_000..<2_000_000_000_000).contains(number)
    case 8, 12, 14:
      let digits = text.utf8.map { Int($0 - 0x30) }
      let month = digits[4] * 10 + digits[5]
      let day = digits[6] * 10 + digits[7]
      return ["20", "199"].contains(where: text.hasPrefix) && (1...12).contains(month)
        && (1...31).contains(day)
    default: return false
    }
  }

  /// A short hash of a version, such as `3f2a1b9`.
  private var isRevision: Bool {
    value.utf8.count >= 6 && value.utf8.allSatisfy(Self.isHexadecimal)
  }

  /// A version of three numbers and more, such as `1.0.2-beta`.
  private var isRelease: Bool {
    guard let end = value.utf8.firstIndex(where: { "-+".utf8.contains($0) }) else { return false }
    let numbers = value[..<end].split(scalar: ".", omittingEmptySubsequences: false)
    return value.utf8.count <= 40 && numbers.count == 3
      && numbers.allSatisfy { !$0.isEmpty && $0.utf8.allSatisfy(Self.isDigit) }
      && value.utf8.allSatisfy {
        Self.isDigit($0) || Self.isSmall($0 | 0x20) || "-+.".utf8.contains($0)
      }
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
