import OffersCore
import OffersFeeds
import OffersStore

/// The feeds of the user's own: those of their file, which is only read, and those that the database keeps.
struct OwnFeeds: Sendable {
  let file: SettingPath
  let database: OffersDatabase

  func configuration() async throws -> FeedConfiguration { try await file.load(from: database) }

  /// Stores the definition of a new feed, and forgets the source that an earlier feed with its name had.
  func add(_ definition: FeedDefinition) async throws {
    try Self.check(definition.name, isNewIn: try await configuration())
    try await store(definition, subscribing: false)
  }

  /// Stores the definition of a feed whose name is a new one, in one transaction with the subscription.
  func store(_ definition: FeedDefinition, subscribing: Bool) async throws {
    let name = definition.name
    try await database.changeDefinition(
      of: name, source: Self.source(of: definition), forgettingSource: true,
      subscribing: subscribing
    ) { stored in
      // Another process may have added the feed in the meantime.
      if stored.text != nil { throw Self.refusal(of: name) }
      stored.text = DefinitionText.yaml(for: definition)
    }
  }

  /// Replaces the definition of a feed in the database, or stores one that overrides a shipped definition.
  ///
  /// - Returns: whether it differs from the stored one.
  /// - Throws: `OffersError` with `invalidRequest` for an invalid text, whose message begins with the file and
  ///   the line, and `locked` if the definition was changed meanwhile.
  func replace(_ old: String?, by text: String, of name: String, from path: String) async throws
    -> Bool
  {
    let definition = try DefinitionFile.parse(text, of: name, name: path)
    return try await database.changeDefinition(
      of: name, source: Self.source(of: definition), forgettingSource: false
    ) { stored in
      guard stored.text == old else {
        throw OffersError(
          .locked, "The definition of \(name) was changed meanwhile.",
          hint: "See it with: offers feeds show \(name)")
      }
      stored.text = text
    }
  }

  /// Sets the sync interval of a feed, the currency of its amounts, or both, in one transaction.
  ///
  /// - Returns: whether each of them was changed.
  /// - Throws: `OffersError` with `notFound` for an unknown feed, `invalidRequest` for an invalid value, and
  ///   for one that the file sets, too.
  func set(_ settings: [FeedSetting], of name: String) async throws -> [Bool] {
    let known = try await configuration()
    let definition = try known.fetch(name)
    let own = known.settings(of: name)
    for setting in settings {
      try setting.check()
      switch setting {
      case .everySeconds where own.everySeconds != nil: throw refusal("interval", of: name)
      case .currency where own.currency != nil: throw refusal("currency", of: name)
      default: break
      }
    }
    let stored = known.findStored(name)
    try await database.changeDefinition(
      of: name, source: Self.source(of: definition), forgettingSource: false
    ) { stored in
      for setting in settings {
        switch setting {
        case .everySeconds(let seconds): stored.everySeconds = seconds
        case .currency(let currency): stored.currency = currency
        }
      }
    }
    return settings.map { setting in
      switch setting {
      case .everySeconds(let seconds): stored?.everySeconds != seconds
      case .currency(let currency): stored?.currency != currency
      }
    }
  }

  private func refusal(_ setting: String, of name: String) -> OffersError {
    OffersError(
      .invalidRequest, "\(file.text) sets the \(setting) of \(name), and that counts.",
      hint: "Change it there.")
  }

  static func check(_ name: String, isNewIn configuration: FeedConfiguration) throws {
    if configuration.names.contains(name) || configuration.findStored(name)?.text != nil {
      throw refusal(of: name)
    }
  }

  private static func refusal(of name: String) -> OffersError {
    OffersError(
      .invalidRequest, "There is already a feed \(name).",
      hint: "Choose another name, or see it with: offers feeds show \(name)")
  }

  /// The source that is recorded for a feed which was not read yet.
  private static func source(of definition: FeedDefinition) -> String {
    definition.source?.description ?? FeedSummary.fallbackSource.text
  }
}

/// A setting of a feed in the database; nil stands for that of the feed's definition.
enum FeedSetting: Sendable {
  case everySeconds(Int?)
  /// The ISO 4217 code of the currency of amounts that do not state one.
  case currency(String?)

  /// Refuses a value that no feed can have.
  ///
  /// - Throws: `OffersError` with `invalidRequest` for an interval that is not whole minutes from one minute to
  ///   a year, and for another text than a code.
  func check() throws {
    switch self {
    case .everySeconds(let seconds?): try IntervalText.check(seconds)
    case .currency(let currency?) where CurrencyCode(currency) == nil:
      let upper = currency.uppercased()
      throw OffersError(
        .invalidRequest, "“\(currency)” is not a currency of ISO 4217.",
        hint: CurrencyCode(upper) == nil
          ? "Write the code of the money that people pay in, such as USD."
          : "Did you mean \(upper)?")
    default: break
    }
  }
}
