import Foundation

/// The source that a sync reads.
public enum SyncSource: Hashable, Sendable {
  /// An http or https URL. In its text, `{page}` stands for the number of the page.
  case url(String)
  /// The path of a file. A relative path begins at the current folder.
  case file(String)
  /// Standard input. It is never remembered, because it cannot be read again.
  case standardInput
  /// The built-in sample of the feed, whose offers are invented.
  case sample

  /// The source at an http or https URL.
  public static func url(_ url: URL) -> SyncSource { .url(url.absoluteString) }

  /// The source in the file at a file URL.
  public static func file(_ url: URL) -> SyncSource { .file(url.path) }

  /// The source that a user typed: a URL, a path, `-` for standard input, or `sample`. It may be
  /// invalid; a sync refuses it then.
  package init(typed text: String) {
    self =
      switch text {
      case Self.standardInput.text: .standardInput
      case Self.sample.text: .sample
      default: text.range(of: "://") == nil ? .file(text) : .url(text)
      }
  }

  /// Parses a source that a user typed, a definition names or the database stores.
  ///
  /// - Throws: as `validated()`.
  package init(parsing text: String) throws {
    self = try SyncSource(typed: text).validated()
  }

  /// The same source, if it is valid; a file by its absolute path.
  ///
  /// - Throws: `OffersError` with `invalidRequest` for an empty text, a URL with no or an unsupported
  ///   scheme, one with a user name or password, or one whose values are hidden.
  package func validated() throws(OffersError) -> SyncSource {
    switch self {
    case .standardInput, .sample: return self
    case .url(""), .file(""):
      throw OffersError(
        .invalidRequest, "The source is empty.",
        hint: Self.hint)
    case .url(let text):
      let colon = text.range(of: "://")
      let scheme = colon.map { text[..<$0.lowerBound].lowercased() } ?? ""
      guard let colon, !scheme.isEmpty else {
        throw OffersError(
          .invalidRequest, "The source is no URL: it has no scheme.", hint: Self.hint)
      }
      guard scheme == "http" || scheme == "https" else {
        throw OffersError(
          .invalidRequest,
          "The source \(AddressRedaction.hidden(in: text)) has the unsupported scheme \(scheme).",
          hint: Self.hint)
      }
      guard !AddressRedaction.areHidden(in: text) else {
        throw OffersError(
          .invalidRequest, "The source \(AddressRedaction.hidden(in: text)) has hidden values.",
          hint: "Write its values in place of \(AddressRedaction.mark).")
      }
      guard !text[colon.upperBound...].prefix(while: { !"/?#".contains($0) }).contains("@") else {
        throw OffersError(
          .invalidRequest, "A user name or password in a source would be visible to everybody.",
          hint: Hint(
            "Leave them out, and add the feed with the user, or write headers: in its definition.",
            command: "--user 'NAME:{env:PASSWORD}'"))
      }
      return self
    case .file(let path):
      return path.hasPrefix("/")
        ? self : .file(FileManager.default.currentDirectoryPath + "/" + path)
    }
  }

  private static let hint =
    "Name one of these: an http or https URL, a file, standard input (-), or sample."

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
}
