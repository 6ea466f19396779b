import Crypto
import Foundation
import HTTPTypes
import Hummingbird
import OffersCore

/// The secret that a request must contain on a server that other machines can reach: as a bearer
/// token, or as a session cookie that is derived from it.
package struct AccessToken: Sendable {
  /// The minimum length of a token: a shorter one could be guessed.
  package static let leastCharacters = 16
  private static let mostBytes = 4096
  static let cookieName = "offers-session"

  /// The random key of the authentication codes below.
  private let key = SymmetricKey(size: .bits256)
  private let tokenCode: HMAC<SHA256>.MAC
  /// The value of the session cookie: an HMAC with the token as key, which does not reveal it.
  let cookie: String
  private let cookieCode: HMAC<SHA256>.MAC

  init(_ token: String) {
    tokenCode = HMAC.authenticationCode(for: Data(token.utf8), using: key)
    cookie = HMAC<SHA256>.authenticationCode(
      for: Data("offers session 1".utf8), using: SymmetricKey(data: Data(token.utf8))
    ).map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    cookieCode = HMAC.authenticationCode(for: Data(cookie.utf8), using: key)
  }

  /// Reads the token from a file of one line.
  ///
  /// - Throws: `OffersError` with `notFound` for a file that cannot be opened, with
  ///   `invalidRequest` for a file that is not regular or is accessible to others, and for a token
  ///   that is too short, too long, or has spaces or characters other than printable ASCII.
  package init(contentsOf path: String) throws {
    let handle = try Self.open(path)
    var data = (try? handle.read(upToCount: Self.mostBytes + 1)) ?? Data()
    while data.last == 0x0A || data.last == 0x0D { data.removeLast() }
    let hint = Self.hint(path)
    guard data.count <= Self.mostBytes, let text = String(validating: data, as: UTF8.self),
      text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F })
    else {
      throw OffersError(
        .invalidRequest, "\(path) has no token: one line of printable ASCII without spaces.",
        hint: hint)
    }
    guard text.utf8.count >= Self.leastCharacters else {
      throw OffersError(
        .invalidRequest,
        "The token in \(path) is too short: it must have at least \(Self.leastCharacters) "
          + "characters.", hint: hint)
    }
    self.init(text)
  }

  private static func hint(_ path: String) -> String {
    let word = ShellQuoting.word(path)
    return "Make one with: (umask 077; head -c 24 /dev/urandom | base64 > \(word))"
  }

  /// Opens the file and checks its type and permissions. The check uses the open descriptor, so
  /// that the file cannot be replaced in between.
  private static func open(_ path: String) throws -> FileHandle {
    let descriptor = Foundation.open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else {
      throw OffersError(
        .notFound, "Could not read the token in \(path): \(String(cString: strerror(errno))).",
        hint: Self.hint(path))
    }
    let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    var information = stat()
    guard fstat(descriptor, &information) == 0, information.st_mode & S_IFMT == S_IFREG else {
      throw OffersError(.invalidRequest, "\(path) is not a regular file.")
    }
    guard information.st_mode & ServiceCredential.forbiddenMode(of: path) == 0 else {
      throw OffersError(
        .invalidRequest, "Others on this machine may read the token in \(path).",
        hint: "Make it yours alone: chmod 600 \(ShellQuoting.word(path))")
    }
    return handle
  }

  /// Whether a text is the token, compared in constant time.
  func isToken(_ text: String) -> Bool { isSame(text[...], tokenCode) }

  /// Whether a request shows the token as a bearer token, or the session cookie. The cookie does
  /// not count in a request with an `Authorization` field.
  func isShown(by fields: HTTPFields) -> Bool {
    if let field = fields[.authorization] {
      let parts = field.split(scalar: " ", maxSplits: 1)
      guard parts.count == 2, parts[0].lowercased() == "bearer" else { return false }
      return isToken(String(parts[1].trimmingSpaces))
    }
    for field in fields[fields: .cookie] {
      for pair in field.value.split(scalar: ";") {
        let parts = pair.trimmingSpaces.split(scalar: "=", maxSplits: 1)
        guard parts.count == 2, parts[0] == Self.cookieName else { continue }
        if isSame(parts[1], cookieCode) { return true }
      }
    }
    return false
  }

  /// Whether a text has this authentication code, compared in constant time, so that the time
  /// reveals nothing about the secret.
  private func isSame(_ text: Substring, _ code: HMAC<SHA256>.MAC) -> Bool {
    HMAC<SHA256>.isValidAuthenticationCode(code, authenticating: Data(text.utf8), using: key)
  }
}
