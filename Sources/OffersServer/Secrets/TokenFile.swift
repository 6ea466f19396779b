import Foundation
import Logging
import OffersCore
import OffersPlatform
import Synchronization

/// The file with the access token. A changed file takes effect without a restart.
///
/// The file is examined when a request needs the token, at most once a second. While it cannot be
/// used, because it is missing, readable by others or has no generated token, no token is valid.
package final class TokenFile: Sendable {
  private struct State {
    var mark: FileMark?
    var token: ServerToken
    /// Whether the file can be used. If not, no token is valid.
    var isUsable = true
    /// Counts the changes of the token.
    var number = 1
    var examinedAt: Date?
  }

  private let path: String
  private let state: Mutex<State>

  /// Reads the token from a file of one line.
  ///
  /// - Parameter path: the file, a regular one that only its owner can read.
  /// - Throws: `OffersError` with `notFound` for a file that cannot be opened, with
  ///   `invalidRequest` for a file that is not regular or is accessible to others, and for a token
  ///   that `ServerToken.check` refuses.
  package init(_ path: String) throws {
    self.path = path
    // The facts are older than the content, so that a change in between is noticed later.
    let mark = FileMark(path)
    state = Mutex(State(mark: mark, token: try ServerToken(try Self.read(path))))
  }

  /// A token with the number of its version, which every change of the token raises.
  struct Version: Sendable {
    let token: ServerToken
    let number: Int
  }

  /// The token that is valid now; nil while the file cannot be used.
  ///
  /// - Parameter logger: is told when the file becomes unusable, and when its token changes.
  func current(now: Date, logger: Logger) -> Version? {
    state.withLock { state in
      if state.examinedAt.map({ abs(now.timeIntervalSince($0)) >= 1 }) ?? true {
        state.examinedAt = now
        examine(&state, logger)
      }
      return state.isUsable ? Version(token: state.token, number: state.number) : nil
    }
  }

  private func examine(_ state: inout State, _ logger: Logger) {
    let mark = FileMark(path)
    if mark == state.mark, mark != nil { return }
    let wasUsable = state.isUsable
    state.mark = mark
    do {
      let text = try Self.read(path)
      state.isUsable = true
      // A file that could not be used for a while may have the same token: its sessions stay.
      let isSame = try state.token.isToken(text)
      if !isSame {
        state.token = try ServerToken(text)
        state.number += 1
      }
      if !isSame || !wasUsable {
        logger.notice(
          "token file read again", metadata: ["token": isSame ? "unchanged" : "changed"])
      }
    } catch {
      state.isUsable = false
      // A read may fail for a passing reason, such as too many open files: it is tried again.
      if (error as? OffersError)?.code != .invalidRequest { state.mark = nil }
      if wasUsable {
        let reason = (error as? OffersError)?.message ?? "\(error)"
        logger.error("token file unusable, nobody is let in", metadata: ["reason": "\(reason)"])
      }
    }
  }

  private static func read(_ path: String) throws -> String {
    // A text that is not UTF-8 is not ASCII, and is refused as such.
    let text = try SecretFile.read(
      path, "token", mostBytes: 4096,
      hint: "Make one: offers token new \(ShellQuoting.word(path))")
    try ServerToken.check(text, in: path)
    return text
  }
}

/// The secret that a client must show on a server that other machines can reach: as a bearer token
/// with each request, or once, to log in a browser.
struct ServerToken: Sendable {
  /// The random key with which the token is compared.
  private let key: HMACKey
  private let code: [UInt8]
  /// The token as the key of fingerprints.
  private let secret: HMACKey

  init(_ text: String) throws {
    key = try .random()
    code = try key.code(of: Array(text.utf8))
    secret = HMACKey(Array(text.utf8))
  }

  /// Refuses a text that was not generated.
  ///
  /// - Throws: `OffersError` with `invalidRequest` unless the text has the form of
  ///   `APITokenText.randomText`.
  static func check(_ text: String, in path: String) throws {
    guard APITokenText.isRandomText(text) else {
      throw OffersError(
        .invalidRequest, "\(path) has no token that was made by: offers token new.",
        hint: "A token is generated, not chosen. Make another: offers token new FILE")
    }
  }

  /// Whether a text is the token, compared in constant time: the time reveals nothing about the
  /// token, however often somebody guesses.
  func isToken(_ text: String) throws -> Bool {
    try key.isCode(code, of: Array(text.utf8))
  }

  /// The fingerprint of a session that is made with this token.
  func fingerprint(of sessionID: [UInt8]) throws -> [UInt8] { try secret.code(of: sessionID) }

  func hasMade(_ session: Session) throws -> Bool {
    guard let fingerprint = session.fingerprint else { return false }
    return try secret.isCode(fingerprint, of: session.id)
  }
}

/// The text of API tokens: `offers_` and 256 random bits in base64url (RFC 4648, section 5). The
/// prefix lets scanners of published secrets recognize them.
package enum APITokenText {
  private static let prefix = "offers_"
  package static let byteCount = 32

  package static func make() throws -> String { prefix + (try randomText()) }

  /// A text of 256 random bits in base64url.
  package static func randomText() throws -> String {
    Base64URL.text(of: try RandomBytes.make(byteCount))
  }

  /// Whether a text has the form of `randomText`.
  static func isRandomText(_ text: String) -> Bool {
    text.wholeMatch(of: /[A-Za-z0-9_-]{43}/) != nil
  }

  static func isToken(_ text: String) -> Bool {
    text.utf8.count == prefix.utf8.count + 43 && text.hasPrefix(prefix)
  }

  /// The SHA-256 by which a token is stored.
  package static func hash(of token: String) throws -> [UInt8] { try SHA256.digest(of: token) }
}
