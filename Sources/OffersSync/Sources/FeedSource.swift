import OffersCore
import OffersFeeds

/// Where a feed is read from, and who named that.
struct FeedSource: Sendable {
  let feed: String
  let document: DocumentSource
  let template: SourceTemplate
  /// Nil where it is not known.
  let origin: SourceOrigin?
  /// Whether a definition names it.
  var isDefined = false

  /// Whether it may be one of the machine's own, and gets the headers of the definition.
  var isTrusted: Bool { origin == .machine }

  /// Refuses a source that its origin does not allow. No value of a variable is filled in before.
  ///
  /// - Throws: `OffersError` with `invalidRequest`.
  func check(_ definition: FeedDefinition) throws {
    if !isDefined { try checkHasNoVariables() }
    if isTrusted { return }
    try checkIsAddress()
    if case .url = document, !definition.headers.isEmpty {
      throw refusal("would get the headers of \(feed), which are meant for its own source")
    }
  }

  /// Refuses a source that only a person at the machine may name.
  ///
  /// - Throws: `OffersError` with `invalidRequest`.
  func checkIsAddress() throws {
    try checkHasNoVariables()
    switch document {
    case .file, .standardInput: throw refusal("may be named at the machine only")
    case .url, .sample: break
    }
  }

  /// What to remember of it once it has been read.
  func toRemember(_ chosen: DocumentSource?, _ definition: FeedDefinition) -> NamedSource? {
    if chosen == .sample, definition.source != nil { return nil }
    return chosen?.rememberedText.map { NamedSource($0, origin: origin) }
  }

  /// What to do about a source that is not trusted; nil where it is.
  var hint: String? {
    let why: String
    switch origin {
    case .machine: return nil
    case .remote: why = "It was not named at the machine."
    case .imported: why = "It came with an import."
    case nil: why = "It is from an earlier version, which did not note who named it."
    }
    return "Nothing was changed. \(why) If it is right, name it at the machine: offers sync "
      + "\(feed) --from \(ShellQuoting.word(template.text))"
  }

  private func checkHasNoVariables() throws {
    guard template.hasVariables else { return }
    throw OffersError(
      .invalidRequest,
      "The source \(template.text) has a variable in it, which only a definition may have.",
      hint:
        "Nothing was changed. Write it as source: into the definition of \(feed), or add a feed: "
        + "offers feeds add NAME SOURCE")
  }

  private func refusal(_ what: String) -> OffersError {
    OffersError(.invalidRequest, "The source \(template.text) \(what).", hint: hint)
  }
}
