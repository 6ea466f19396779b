import OffersCore
import OffersFeeds

/// Where a feed is read from.
extension SyncEngine {
  /// The source of a sync: the one that the caller names, else the one that was named before, else
  /// the definition's, else the built-in sample. A search has the address that the definition gives.
  ///
  /// Nothing is read from it before `FeedSource.check`.
  ///
  /// - Throws: `OffersError` with `invalidRequest` for an impossible source, and for one that only
  ///   somebody at the machine may name.
  func source(
    of definition: FeedDefinition, _ chosen: DocumentSource?, _ state: SyncState?,
    _ options: SyncOptions
  ) throws -> FeedSource {
    if let chosen {
      return try named(chosen, definition, state, isLocal: options.sourceMayBePrivate)
    }
    if options.query != nil {
      guard let search = definition.search else {
        throw OffersError(
          .invalidRequest, "The server of \(definition.name) cannot be searched.",
          hint: "Its definition has no search: address.")
      }
      return try defined(search, definition)
    }
    if let source = state?.source { return try remembered(source, definition) }
    return try defined(definition.source ?? Template([.literal("sample")]), definition)
  }

  /// The text of the source that is read when nobody names another.
  func usualSource(of definition: FeedDefinition, _ state: SyncState?) -> String {
    state?.source?.text ?? definition.source?.description ?? "sample"
  }

  /// Whether only the built-in sample is left to read a feed from that standard input brought: what
  /// it invents would take the place of real offers.
  ///
  /// - Throws: `notFound` where somebody asks for such a feed.
  func isSourceless(
    _ definition: FeedDefinition, _ source: DocumentSource, _ state: SyncState?,
    _ options: SyncOptions
  ) throws -> Bool {
    guard source == .sample, state?.lastGoodSource == DocumentSource.standardInput.text else {
      return false
    }
    if options.reason == .due { return true }
    throw OffersError(
      .notFound,
      "\(definition.name) was read from standard input, and has no source of its own.",
      hint: "Nothing was changed. Name one: offers sync \(definition.name) --from URL-OR-FILE")
  }

  /// The rules that a fetch from a source keeps to.
  func context(
    _ source: FeedSource, _ options: SyncOptions, _ transport: any HTTPTransport
  ) -> FetchContext {
    var context = FetchContext(
      transport: transport, limits: options.limits, sourceMayBePrivate: source.isTrusted, now: now)
    context.allowsPrivateNetwork =
      options.allowsPrivateNetwork || configuration.allowsPrivateNetwork
    context.sourceHint = source.hint
    return context
  }

  private func named(
    _ chosen: DocumentSource, _ definition: FeedDefinition, _ state: SyncState?, isLocal: Bool
  ) throws -> FeedSource {
    let source = FeedSource(
      feed: definition.name, document: chosen,
      template: SourceTemplate(chosen.text, environment: environment),
      origin: isLocal ? .machine : .remote)
    if !isLocal { try source.checkIsAddress() }
    // An address that the feed is read from anyhow is trusted as before, whoever names it again.
    if let own = definition.source, own.description == chosen.text {
      return try defined(own, definition)
    }
    if let known = state?.source, known.text == chosen.text, known.origin == .machine {
      return try remembered(known, definition)
    }
    return source
  }

  private func remembered(
    _ source: NamedSource, _ definition: FeedDefinition
  ) throws -> FeedSource {
    if let own = definition.source, own.description == source.text {
      return try defined(own, definition)
    }
    return FeedSource(
      feed: definition.name, document: try DocumentSource(source.text),
      template: SourceTemplate(source.text, environment: environment), origin: source.origin)
  }

  private func defined(
    _ template: Template, _ definition: FeedDefinition
  ) throws -> FeedSource {
    var source = FeedSource(
      feed: definition.name, document: try DocumentSource(template.description),
      template: SourceTemplate(template, environment: environment), origin: .machine)
    source.isDefined = true
    return source
  }
}
