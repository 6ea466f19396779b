import Foundation
import OffersCore
import OffersFeeds

/// Where a document is read from.
package enum DocumentSource: Hashable, Sendable {
  /// An http or https URL.
  case url(String)
  /// An absolute path.
  case file(String)
  /// Standard input. It cannot be read again, so it is never remembered.
  case standardInput
  /// The built-in sample.
  case sample

  /// Understands what a person types or the database remembers.
  ///
  /// - Throws: `OffersError` with `invalidRequest` for an empty text, a scheme that is not read, or an
  ///   address with a name or password.
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
            .invalidRequest, "The source \(text) has the scheme \(scheme), which is not read.",
            hint: "Name an http or https URL, a file, - for standard input, or sample.")
        }
        guard !text[colon.upperBound...].prefix(while: { !"/?#".contains($0) }).contains("@") else {
          throw OffersError(
            .invalidRequest, "A source with a name or password in it would show them to everybody.",
            hint: "Leave them out, and put them into the feed's headers: as {env:NAME}.")
        }
        self = .url(text)
      } else if text.hasPrefix("/") {
        self = .file(text)
      } else {
        self = .file(Self.currentFolder() + "/" + text)
      }
    }
  }

  /// The text to remember, nil where the source cannot be read again.
  package var rememberedText: String? {
    if case .standardInput = self { nil } else { text }
  }

  /// The source as a run records it.
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
