import OffersCore
import OffersFeeds

/// The source of a feed, and who named it.
struct FeedSource: Sendable {
  let feed: String
  let document: SyncSource
  let template: SourceTemplate
  /// Who named the source; nil if that is not known.
  let origin: SourceOrigin?
  /// Whether the source is written in the feed's definition, where it may contain variables.
  var isDefined = false

  /// The source as it is shown: with hidden values (`AddressRedaction`).
  private var shownText: String { AddressRedaction.hidden(in: template.text) }

  /// Whether the source was named on this machine: by a command or in a definition. Only then
  /// may it be a file or in a private network, and receive the definition's headers.
  var isTrusted: Bool { origin == .machine }

  /// Refuses a source that is not allowed for its origin. Must be called before the values of
  /// variables are filled in.
  ///
  /// - Throws: `OffersError` with `invalidRequest` for a variable outside a definition, and, unless
  ///   the source is trusted, for a file, for standard input, and for a URL if the definition has
  ///   headers.
  func check(_ definition: FeedDefinition) throws {
    if !isDefined { try checkHasNoVariables() }
    if isTrusted { return }
    try checkIsAddress()
    if case .url = document, !definition.headers.isEmpty {
      throw refusal("would receive the headers of \(feed), which are for its own source only")
    }
  }

  /// Refuses a source that may not be named from outside this machine: a file, standard input, or
  /// a text with a variable.
  ///
  /// - Throws: `OffersError` with `invalidRequest`.
  func checkIsAddress() throws {
    try checkHasNoVariables()
    switch document {
    case .file, .standardInput: throw refusal("may be named on this machine only")
    case .url, .sample: break
    }
  }

  /// The source to remember after a successful sync; nil to change nothing. The sample is not
  /// remembered for a feed whose definition has a source.
  ///
  /// - Parameters:
  ///   - chosen: the source in the options of the sync; nil if they name none.
  ///   - definition: the definition of the feed.
  func toRemember(_ chosen: SyncSource?, _ definition: FeedDefinition) -> ChosenSource? {
    if chosen == .sample, definition.source != nil { return nil }
    return chosen?.rememberedText.map { ChosenSource($0, origin: origin) }
  }

  /// The advice to name the source on this machine, for errors; nil if it is trusted already.
  var advice: Hint? {
    let why: String
    switch origin {
    case .machine: return nil
    case .remote: why = "The source was not named on this machine."
    case .imported: why = "The source came with an import."
    case nil: why = "An earlier version did not record who named the source."
    }
    return Hint(
      "Nothing was changed. \(why) If it is right, name it on this machine.",
      command: Hint.syncCommand(feed, from: template.text))
  }

  private func checkHasNoVariables() throws {
    guard template.hasVariables else { return }
    throw OffersError(
      .invalidRequest,
      "The source \(shownText) contains a variable, which only a definition may have.",
      advice: Hint(
        "Nothing was changed. Write it as source: into the definition of \(feed), or add a feed.",
        command: "offers feeds add NAME SOURCE"))
  }

  private func refusal(_ what: String) -> OffersError {
    OffersError(.invalidRequest, "The source \(shownText) \(what).", advice: advice)
  }
}
