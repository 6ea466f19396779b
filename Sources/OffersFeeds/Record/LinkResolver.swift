import FoundationEssentials
import Glibc

/// Makes links absolute that a document writes relative to itself (RFC 3986, section 5).
struct LinkResolver: Sendable {
  /// Names the rules. To be changed with them, so that stored links are read again.
  static let rules = "2"

  private let base: URL?

  /// - Parameter address: where the document came from; nil where it has no address on the web.
  init(address: String?) {
    base = address.flatMap { URL(string: $0) }
  }

  /// The absolute link. One without a scheme is https where the document has no address, and one
  /// that stays relative is kept as printed: nothing is made up.
  ///
  /// - Parameter dependsOnAddress: set where the document's address has a part in it.
  func resolve(
    _ link: UnsafeRawBufferPointer, in arena: TextArena, dependsOnAddress: inout Bool
  ) -> UnsafeRawBufferPointer {
    let link = Self.unescaped(link.trimmed(), in: arena)
    if Self.hasScheme(link) { return link }
    dependsOnAddress = true
    guard let base else {
      let isHost = link.count > 2 && link[0] == 0x2F && link[1] == 0x2F && link[2] != 0x2F
      return isHost ? arena.copy(Array("https:".utf8) + Array(link)) : link
    }
    let text = String(decoding: link, as: UTF8.self)
    guard let resolved = URL(string: text, relativeTo: base)?.absoluteString else { return link }
    return arena.copy(Array(resolved.utf8))
  }

  /// Whether a link is absolute as it stands, as nearly every one is.
  static func isAbsolute(_ link: UnsafeRawBufferPointer) -> Bool {
    guard let base = link.baseAddress, let last = link.last, last > 0x20 else { return false }
    return hasScheme(link) && memchr(base, 0x26, link.count) == nil
  }

  /// A link that was escaped for HTML, as some JSON has it: no address has `&amp;` in it.
  private static func unescaped(
    _ link: UnsafeRawBufferPointer, in arena: TextArena
  ) -> UnsafeRawBufferPointer {
    // Nearly every link goes by here, and few have one.
    guard let base = link.baseAddress, let found = memchr(base, 0x26, link.count) else {
      return link
    }
    var place = UnsafeRawPointer(found) - base
    var bytes: [UInt8] = []
    var start = 0
    while place < link.count {
      if PrintedCharacters.stands("&amp;", in: link, at: place) {
        bytes += link.slice(start, place + 1)
        start = place + 5
        place = start
      } else {
        place += 1
      }
    }
    return start == 0 ? link : arena.copy(bytes + Array(link.tail(from: start)))
  }

  /// Whether a link is a mere word of two letters or more, as some feeds have for the picture that an offer
  /// lacks: `self`, `default`, `nsfw`.
  static func isWord(_ link: UnsafeRawBufferPointer) -> Bool {
    let link = link.trimmed()
    return link.count > 1 && link.allSatisfy(PrintedCharacters.isLetter)
  }

  /// Whether a link begins with a scheme and a colon, as every absolute one does.
  static func hasScheme(_ link: UnsafeRawBufferPointer) -> Bool {
    for (index, byte) in link.enumerated() {
      switch byte {
      case 0x3A: return index > 0
      case 0x41...0x5A, 0x61...0x7A: continue
      case 0x30...0x39, 0x2B, 0x2D, 0x2E: if index == 0 { return false }
      default: return false
      }
    }
    return false
  }
}
