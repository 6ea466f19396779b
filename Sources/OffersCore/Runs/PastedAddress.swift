import Foundation

/// The address of a feed or a site as people paste it: with blanks and brackets around it, with `feed:` in
/// front, without a scheme, or with a fragment.
package struct PastedAddress: Hashable, Sendable {
  /// The sources that the text can mean, in the order in which they are tried: two for an address
  /// without a scheme, otherwise one. Each is a text for `SyncSource(parsing:)`.
  package let sources: [String]

  /// - Parameters:
  ///   - typed: the text that a person typed or pasted.
  ///   - isFile: whether a path is that of a file on this machine; nil where a source cannot be a file.
  /// - Throws: `OffersError` with `invalidRequest` for several addresses, an unknown scheme and a file on
  ///   another host; `notFound` for a word that is neither a file nor the name of a host.
  package init(
    _ typed: String,
    isFile: ((String) -> Bool)? = { FileManager.default.fileExists(atPath: $0) }
  ) throws(OffersError) {
    let text = try Self.bare(typed)
    if isFile != nil, [SyncSource.standardInput.text, SyncSource.sample.text].contains(text) {
      sources = [text]
    } else if let isFile, !typed.isEmpty, isFile(typed) {
      sources = [typed]
    } else {
      sources = try Self.sources(in: text, isFile)
    }
  }

  /// The sources that a text without anything around it can mean.
  private static func sources(
    in text: String, _ isFile: ((String) -> Bool)?
  ) throws(OffersError) -> [String] {
    let (scheme, rest) = split(text)
    switch scheme {
    case "http", "https":
      let place = rest.drop { $0 == "/" }
      // Such as `https://http://a.example`, pasted behind a scheme that was there already.
      if split(String(place)).scheme?.hasPrefix("http") == true {
        return try sources(in: String(place), isFile)
      }
      return [address(scheme ?? "", place)]
    case "file": return [try path(rest, text)]
    case let scheme? where wrappers.contains(scheme):
      let place = String(rest.drop { $0 == "/" })
      if split(place).scheme != nil {
        return try sources(in: place, isFile)
      }
      return addresses(place[...])
    case let scheme?:
      // The check of a source names the scheme.
      if rest.hasPrefix("//") { return [text] }
      throw OffersError(
        .invalidRequest, "“\(scheme):” in “\(text.prefix(200))” is no scheme that a feed can have.",
        hint: forms(isFile != nil))
    case nil where isFile?(text) == true: return [text]
    case nil where isOnWeb(text): return addresses(text.drop { $0 == "/" })
    case nil where isFile == nil:
      throw OffersError(
        .invalidRequest, "“\(text.prefix(200))” is not an http:// or https:// address.",
        hint: Self.form)
    case nil:
      guard text.isEmpty || text.contains("/") || text.contains("{") else {
        throw OffersError(
          .notFound, "There is no file \(text), and it is not the address of a site.",
          hint: forms(true))
      }
      return [text]
    }
  }

  /// The schemes that stand in front of an address in place of its own, or around it.
  private static let wrappers: Set = [
    "feed", "feeds", "rss", "itpc", "pcast", "podcast", "url", "view-source",
  ]

  private static func forms(_ isFileAllowed: Bool) -> Hint {
    isFileAllowed
      ? "Write an address such as https://example.com/feed, or the path of a file."
      : form
  }

  /// The hint of an error where a source cannot be a file.
  package static let form: Hint = "Write an address such as https://example.com/feed."

  /// Line ends, blanks and invisible characters that surround or break a pasted address.
  private static let blanks = CharacterSet.whitespacesAndNewlines.union(
    CharacterSet(charactersIn: "\u{200B}\u{200E}\u{200F}\u{2060}\u{FEFF}"))
  private static let pairs: [(Character, Character)] = [
    ("<", ">"), ("\"", "\""), ("'", "'"), ("`", "`"), ("“", "”"), ("„", "“"), ("«", "»"),
    ("(", ")"),
  ]

  /// The text without blanks, brackets and quotation marks around it, and without line ends in it.
  private static func bare(_ typed: String) throws(OffersError) -> String {
    var text = typed.trimmingCharacters(in: blanks)
    for _ in 0..<4 {
      for (open, close) in pairs where text.count > 1 && text.first == open && text.last == close {
        text = String(text.dropFirst().dropLast()).trimmingCharacters(in: blanks)
      }
    }
    // A link in Markdown.
    if let link = text.wholeMatch(of: /!?\[[^\]]*\]\(([^()\s]+)\)/) { text = String(link.output.1) }
    let words = text.split(whereSeparator: \.isWhitespace)
    guard words.count(where: { $0.contains("://") }) < 2 else {
      throw OffersError(
        .invalidRequest, "The text has several addresses.", hint: "Name one of them.")
    }
    let lines = text.split(whereSeparator: \.isNewline)
    guard lines.count > 1 else { return text }
    return lines.map { $0.trimmingCharacters(in: blanks) }.joined()
  }

  /// The scheme in lower case and the text behind its colon; the scheme is nil for a text that has none, such
  /// as `example.com:8080/feed`.
  private static func split(_ text: String) -> (scheme: String?, rest: Substring) {
    for scheme in ["http", "https"] where text.lowercased().hasPrefix(scheme + "//") {
      return (scheme, text.dropFirst(scheme.count))
    }
    let scheme = text.prefix { $0.isASCII && ($0.isLetter || $0.isNumber || "+-.".contains($0)) }
    let rest = text[scheme.endIndex...].dropFirst()
    // A single letter is a drive of Windows.
    let place = rest.prefix { !"/?#".contains($0) }
    let isPort = !place.isEmpty && place.allSatisfy(\.isNumber)
    guard scheme.count > 1, scheme.first?.isLetter == true, text[scheme.endIndex...].first == ":",
      rest.hasPrefix("/") || !scheme.contains(".") && !isPort
    else { return (nil, text[...]) }
    return (scheme.lowercased(), rest.drop(while: \.isWhitespace))
  }

  /// The address of a place on the web, without its fragment.
  private static func address(_ scheme: String, _ place: Substring) -> String {
    "\(scheme)://\(place.prefix { $0 != "#" })"
  }

  /// The addresses of a place on the web without a scheme. Servers of this machine and of the local network, and
  /// those with a port of their own, usually have no https; for others http comes last.
  private static func addresses(_ place: Substring) -> [String] {
    let (host, port) = hostAndPort(place)
    let isLocal =
      !host.contains(".") || host.hasPrefix("[") || host.allSatisfy { $0.isNumber || $0 == "." }
      || [".local", ".lan", ".internal", ".home.arpa"].contains { host.hasSuffix($0) }
    let isPlain = port.map { $0 != "443" && $0 != "8443" } ?? isLocal
    return (isPlain ? ["http", "https"] : ["https", "http"]).map { address($0, place) }
  }

  private static func hostAndPort(_ place: Substring) -> (host: String, port: Substring?) {
    let authority = place.prefix { !"/?#".contains($0) }
    let end = authority.lastIndex(of: "]") ?? authority.startIndex
    guard let colon = authority[end...].lastIndex(of: ":") else {
      return (authority.lowercased(), nil)
    }
    return (authority[..<colon].lowercased(), authority[authority.index(after: colon)...])
  }

  /// Whether a text without a scheme begins with the name or the address of a host.
  private static func isOnWeb(_ text: String) -> Bool {
    let place = text.hasPrefix("//") ? text.dropFirst(2) : text[...]
    let (host, port) = hostAndPort(place)
    if let port, port.isEmpty || !port.allSatisfy(\.isNumber) { return false }
    if host.hasPrefix("["), host.hasSuffix("]") { return true }
    let labels = host.split(scalar: ".", omittingEmptySubsequences: false)
    let names = labels.last == "" ? labels.dropLast() : labels[...]
    guard let last = names.last,
      names.allSatisfy({ name in
        !name.isEmpty && name.allSatisfy { $0.isLetter || $0.isNumber || $0 == "-" || $0 == "_" }
      })
    else { return false }
    if names.count == 1 { return port != nil || last == "localhost" }
    if last.allSatisfy(\.isNumber) { return names.count == 4 }
    let isName = place.count == host.count
    return last.count > 1 && !(isName && fileEndings.contains(String(last)))
  }

  /// The endings of the names of files, which a text without a path or port is rather than that of a host.
  private static let fileEndings: Set = [
    "atom", "bz2", "csv", "gz", "htm", "html", "json", "jsonl", "ndjson", "opml", "rdf", "rss",
    "tsv",
    "txt", "xls", "xlsx", "xml", "xz", "yaml", "yml", "zip",
  ]

  /// The path of a `file:` address (RFC 8089).
  private static func path(_ rest: Substring, _ text: String) throws(OffersError) -> String {
    var path = rest
    if rest.hasPrefix("//") {
      let host = rest.dropFirst(2).prefix { $0 != "/" }
      path = rest.dropFirst(2 + host.count)
      guard host.isEmpty || host.lowercased() == "localhost", !path.isEmpty else {
        throw OffersError(
          .invalidRequest,
          "“\(host.prefix(200))” in \(text.prefix(200)) would be another machine, from which no file is read.",
          hint: "Write three slashes before a path: file:///home/…")
      }
    }
    let plain = String(path.prefix { $0 != "#" && $0 != "?" })
    return plain.removingPercentEncoding ?? plain
  }
}
