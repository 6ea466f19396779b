import Foundation
import OffersCore
import OffersFeeds

/// The source of a document.
package enum DocumentSource: Hashable, Sendable {
  /// An http or https URL.
  case url(String)
  /// An absolute path.
  case file(String)
  /// Standard input. It is never remembered, because it cannot be read again.
  case standardInput
  /// The built-in sample.
  case sample

  /// Parses a source that a user typed or the database stores.
  ///
  /// - Throws: `OffersError` with `invalidRequest` for an empty text, an unsupported scheme, or a
  ///   URL with a user name or password.
  package init(_ text: String) throws {
    switch text {
    case "":
      throw OffersError(
        .invalidRequest, "The source is empty.",
        hint: "Name a URL, a file, - for standard input, or sample.")
    case "-": self = .standardInput
    case "sample": self = .sample
    default:
      if let colon = text.range(of: "://") {
        let scheme = text[..<colon.lowerBound].lowercased()
        guard scheme == "http" || scheme == "https" else {
          throw OffersError(
            .invalidRequest, "The source \(text) has the unsupported scheme \(scheme).",
            hint: "Name an http or https URL, a file, - for standard input, or sample.")
        }
        guard !text[colon.upperBound...].prefix(while: { !"/?#".contains($0) }).contains("@") else {
          throw OffersError(
            .invalidRequest, "A user name or password in a source would be visible to everybody.",
            hint: "Put them into headers: of the feed's definition, as {env:NAME}.")
        }
        self = .url(text)
      } else if text.hasPrefix("/") {
        self = .file(text)
      } else {
        self = .file(Self.currentFolder() + "/" + text)
      }
    }
  }

  /// The text to remember; nil if the source cannot be read again.
  package var rememberedText: String? {
    if case .standardInput = self { nil } else { text }
  }

  /// The text of the source as a run records it.
  package var text: String {
    switch self {
    case .url(let url): url
    case .file(let path): path
    case .standardInput: "-"
    case .sample: "sample"
    }
  }

  private static func currentFolder() -> String {
    guard let path = getcwd(nil, 0) else { return "" }
    defer { free(path) }
    return String(cString: path)
  }
}
