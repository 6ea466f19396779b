import OffersCore
import OffersFeeds

/// The choice of a feed's source.
extension SyncEngine {
  /// The source of a sync: the one in the options, else the remembered one, else the definition's,
  /// else the `fallbackSource` in the options; nil if there is none. For a search it is the one in
  /// the options, else the search address of the definition.
  ///
  /// The caller must call `FeedSource.check` before reading from the source.
  ///
  /// - Parameters:
  ///   - definition: the definition of the feed.
  ///   - chosen: the validated source in the options; nil if they name none.
  ///   - state: the stored state, with the remembered source; nil if there is none.
  ///   - options: the options of the sync.
  /// - Throws: `OffersError` with `invalidRequest` for an invalid source, for one in the options
  ///   that only a user of this machine may name, and for a search without a search address.
  func source(
    of definition: FeedDefinition, _ chosen: SyncSource?, _ state: SyncState?,
    _ options: SyncOptions
  ) throws -> FeedSource? {
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
    let source: FeedSource
    if let named = state?.source {
      source = try remembered(named, definition)
    } else if let own = definition.source
      ?? options.fallbackSource.map({ .init([.literal($0.text)]) })
    {
      source = try defined(own, definition)
    } else {
      return nil
    }
    return source.document == .sample && isReplacedBySample(state) ? nil : source
  }

  /// Whether a sync of the sample would replace real offers by invented ones: offers that were last
  /// read from standard input, which cannot be read again, or, if the feed has no named source, from
  /// anywhere else, as after an import that left out the source.
  private func isReplacedBySample(_ state: SyncState?) -> Bool {
    guard let last = state?.lastGoodSource else { return false }
    return last == SyncSource.standardInput.text
      || state?.source == nil && last != SyncSource.sample.text
  }

  /// The text of the source that a sync reads if the options name none; nil if there is none.
  func usualSource(
    of definition: FeedDefinition, _ state: SyncState?, _ options: SyncOptions
  ) -> String? {
    state?.source?.text ?? definition.source?.description ?? options.fallbackSource?.text
  }

  /// The error for a feed without a source.
  func sourceless(_ definition: FeedDefinition, _ state: SyncState?) -> OffersError {
    let wasPiped = state?.lastGoodSource == SyncSource.standardInput.text
    return OffersError(
      .notFound,
      definition.name + (wasPiped ? " was read from standard input, and" : "")
        + " has no source of its own.",
      advice: Hint(
        "Nothing was changed. Name one.",
        command: "offers sync \(definition.name) --from URL-OR-FILE"))
  }

  /// The settings of an unconditional fetch from a source.
  func context(
    _ source: FeedSource, _ options: SyncOptions, _ transport: any HTTPTransport
  ) -> FetchSettings {
    var context = FetchSettings(
      transport: transport, limits: options.limits, sourceMayBePrivate: source.isTrusted, now: now)
    context.allowsPrivateNetwork =
      options.allowsPrivateNetwork || configuration.allowsPrivateNetwork
    context.sourceAdvice = source.advice
    return context
  }

  private func named(
    _ chosen: SyncSource, _ definition: FeedDefinition, _ state: SyncState?, isLocal: Bool
  ) throws -> FeedSource {
    let source = FeedSource(
      feed: definition.name, document: chosen,
      template: SourceTemplate(chosen.text, environment: environment),
      origin: isLocal ? .machine : .remote)
    if !isLocal { try source.checkIsAddress() }
    // Naming a source again that the feed already has does not lower its trust, even if it is named
    // from outside this machine.
    if let own = definition.source, own.description == chosen.text, !definition.isPublicOnly {
      return try defined(own, definition)
    }
    if let known = state?.source, known.text == chosen.text, known.origin == .machine {
      return try remembered(known, definition)
    }
    return source
  }

  private func remembered(
    _ source: ChosenSource, _ definition: FeedDefinition
  ) throws -> FeedSource {
    if let own = definition.source, own.description == source.text, !definition.isPublicOnly {
      return try defined(own, definition)
    }
    return FeedSource(
      feed: definition.name, document: try SyncSource(parsing: source.text),
      template: SourceTemplate(source.text, environment: environment), origin: source.origin)
  }

  private func defined(
    _ template: Template, _ definition: FeedDefinition
  ) throws -> FeedSource {
    var source = FeedSource(
      feed: definition.name, document: try SyncSource(parsing: template.description),
      template: SourceTemplate(template, environment: environment),
      origin: definition.isPublicOnly ? .remote : .machine)
    source.isDefined = true
    return source
  }
}
