import OffersCore
import OffersFeeds

/// The choice of a feed's source.
extension SyncEngine {
  /// The source of a sync: the one in the options, else the remembered one, else the definition's,
  /// else the built-in sample. A search uses the search address of the definition.
  ///
  /// The caller must call `FeedSource.check` before reading from the source.
  ///
  /// - Throws: `OffersError` with `invalidRequest` for an invalid source, and for a source that
  ///   only the user of this machine may name.
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

  /// The text of the source that is read if the options name none.
  func usualSource(of definition: FeedDefinition, _ state: SyncState?) -> String {
    state?.source?.text ?? definition.source?.description ?? "sample"
  }

  /// Whether a feed that was read from standard input has no other source than the built-in sample,
  /// whose invented offers would replace the real ones.
  ///
  /// - Throws: `OffersError` with `notFound` if the user asked for the feed, instead of a due sync.
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

  /// The settings of a fetch from a source.
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
    // Naming the feed's current source again, even over HTTP, does not change its trust.
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
