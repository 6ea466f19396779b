/// One record of an export: a line of the document.
///
/// Times are Unix seconds. An offer's lists are kept as the JSON text that the database stores, so
/// an export that is imported into an empty database and exported again is the same, byte for byte.
package enum ExportRecord: Sendable {
  case feed(ExportedFeed)
  case run(ExportedRun)
  case offer(ExportedOffer)
  case change(ExportedChange)
  case user(ExportedUser)
  case favorite(ExportedFavorite)

  /// The sections of an export, in the order of the document.
  package enum Section: Int, CaseIterable, Sendable {
    case feeds, runs, offers, changes, users, favorites

    package var name: String { "\(self)" }

    /// The singular noun for an element of the section.
    package var noun: String { String(name.dropLast()) }
  }

  package var section: Section {
    switch self {
    case .feed: .feeds
    case .run: .runs
    case .offer: .offers
    case .change: .changes
    case .user: .users
    case .favorite: .favorites
    }
  }
}

/// The identification of the document format.
package enum ExportFormat {
  /// The value of the document's `format` member.
  package static let name = "offers-export"
  /// Increased when the format changes so that older programs cannot read every document.
  package static let version = 4
  /// The first version with users. Before, the favorites had no user.
  package static let firstVersionWithUsers = 2
}

/// A feed as a user knows it. Validators and back-off state are not exported.
package struct ExportedFeed: Hashable, Sendable {
  package var name = ""
  package var title: String?
  package var source = ""
  /// The source that a user named instead of the definition's own.
  package var chosenSource: String?
  package var subscribedAt: Int64 = 0
  package var unsubscribedAt: Int64?
  /// The attributes that all offers of the feed share.
  package var shared: [OfferAttribute] = []
  /// How the offers are shown; nil if the store has not kept it, and in a document before version 3.
  package var presentation: FeedPresentation?
  /// The definition and the settings that the store keeps; nil for none, and in a document before version 4.
  package var definition: StoredDefinition?

  package init() {}
}

/// A sync run. Changes refer to the run that recorded them.
package struct ExportedRun: Hashable, Sendable {
  package var feed = ""
  package var source = ""
  package var startedAt: Int64 = 0
  package var durationMilliseconds: Int64 = 0
  package var outcome = SyncOutcome.updated
  package var bytes: Int64 = 0
  /// The numbers of offers that the run counted, in the order of `countNames`.
  package var counts: [Int64] = []
  package var error: Failure?

  package struct Failure: Hashable, Sendable {
    package var code: String
    package var message: String
    package var hint: String?

    package init(code: String, message: String, hint: String?) {
      self.code = code
      self.message = message
      self.hint = hint
    }
  }

  package static let countNames = [
    "new", "changed", "gone", "back", "unchanged", "skipped", "mended",
  ]

  /// Whether the run succeeded: the stored offers were those of the document when it ended.
  package var isGood: Bool { outcome == .updated || outcome == .unchanged }

  package init() {}
}

/// An offer, with the times that syncs recorded.
package struct ExportedOffer: Hashable, Sendable {
  package var ref = OfferRef(feed: "", offerID: "")
  package var reward: Reward?
  package var startsAt: Int64?
  package var expiresAt: Int64?
  package var latitude: Double?
  package var longitude: Double?
  package var firstSeenAt: Int64 = 0
  package var changedAt: Int64 = 0
  package var goneAt: Int64?
  /// Whether a field exceeded `OfferLimits` and was truncated or omitted when the export was read.
  package var isCut = false
  /// The texts of the other fields, by their numbers.
  private var texts = [String?](repeating: nil, count: OfferField.count)

  package init() {}

  package var name: String {
    get { self[.name] ?? "" }
    set { self[.name] = newValue }
  }

  /// The text of a field; a list as its JSON. It is nil for a time and for a coordinate.
  ///
  /// The id and the reward are set by `ref` and `reward`.
  package subscript(field: OfferField) -> String? {
    get {
      switch field {
      case .id: ref.offerID
      case .reward: reward?.text
      default: texts[field.rawValue]
      }
    }
    set { texts[field.rawValue] = newValue }
  }

  /// The value of a field that is a time.
  package func seconds(_ field: OfferField) -> Int64? {
    field == .startsAt ? startsAt : field == .expiresAt ? expiresAt : nil
  }

  /// The value of a field that is a coordinate.
  package func degrees(_ field: OfferField) -> Double? {
    field == .latitude ? latitude : field == .longitude ? longitude : nil
  }
}

/// A recorded change: an offer was new, changed, gone or back.
package struct ExportedChange: Hashable, Sendable {
  package enum Kind: String, Sendable, CaseIterable { case new, changed, gone, back }

  package var ref = OfferRef(feed: "", offerID: "")
  /// The number of the run in the document that recorded the change, from 1.
  package var run = 0
  package var kind = Kind.new
  /// For a changed offer, the fields with their old and new values: a JSON object.
  package var fields: String?

  package init() {}
}

/// A user's favorite. Its offer need not be in the document.
package struct ExportedFavorite: Hashable, Sendable {
  /// The name of the user; nil in a document of version 1, which has the favorites of one user.
  package var user: String?
  package var ref = OfferRef(feed: "", offerID: "")
  package var starredAt: Int64 = 0
  /// When the user shared it with the household; nil for a favorite that is not shared.
  package var sharedAt: Int64?

  package init() {}
}

/// The records of an export that is to be imported.
package protocol ExportRecordSource: Sendable {
  /// Passes each record to `body`, section by section. Each call yields the same records.
  func forEachRecord(_ body: (ExportRecord) throws -> Void) throws
}

// The addresses in the records of an export. A whole export is for its user, who has named the sources; one of
// favorites is to give to somebody else.

extension ExportedFeed {
  /// Hides the values in the address that was read last (`AddressRedaction`).
  ///
  /// - Parameter isForOthers: whether the record is for somebody else. Then the address that was read last
  ///   is left out, and so are a named source with values, and the definition, which may have values, too.
  package mutating func hideAddresses(isForOthers: Bool) {
    source = AddressRedaction.exported(source, isForOthers: isForOthers)
    if isForOthers { definition = nil }
    if isForOthers, let chosen = chosenSource, AddressRedaction.hidden(in: chosen) != chosen {
      chosenSource = nil
    }
  }
}

extension ExportedRun {
  /// Hides the values in the addresses of the source and of the error (`AddressRedaction`).
  ///
  /// - Parameter isForOthers: whether the record is for somebody else. Then the address is left out, and
  ///   so are the texts of the error, which may name it.
  package mutating func hideAddresses(isForOthers: Bool) {
    source = AddressRedaction.exported(source, isForOthers: isForOthers)
    guard let failure = error else { return }
    error =
      isForOthers
      ? Failure(code: failure.code, message: "The sync did not succeed.", hint: nil)
      : Failure(
        code: failure.code, message: AddressRedaction.hidden(inText: failure.message),
        hint: failure.hint.map { AddressRedaction.hidden(inText: $0) })
  }
}

extension AddressRedaction {
  fileprivate static func exported(_ source: String, isForOthers: Bool) -> String {
    // These words are no addresses. After an import they tell a sync whether it may replace the offers by
    // those of the sample.
    let words = [SyncSource.sample.text, SyncSource.standardInput.text]
    return isForOthers && !words.contains(source) ? mark : hidden(in: source)
  }
}

/// A user, with their recent searches, read marks, watches and channels. Their favorites are records of their own.
///
/// Secrets and what belongs to one installation are not exported: passphrases, sessions, tokens, the secrets of channels,
/// channels that run a program or name a variable of the environment, notices, and the time when the user
/// was last seen.
package struct ExportedUser: Hashable, Sendable {
  /// A recent search.
  package struct Search: Hashable, Sendable {
    package var words: String
    /// The feed that was searched; nil for all.
    package var feed: String?
    package var searchedAt: Int64

    package init(words: String, feed: String?, searchedAt: Int64) {
      self.words = words
      self.feed = feed
      self.searchedAt = searchedAt
    }
  }

  /// The changes that a reader has seen: those of a number of runs.
  package struct Mark: Hashable, Sendable {
    package var reader: String
    /// The number of the last run in the document whose changes were all read, from 1; 0 for none.
    /// Numbers of changes differ between databases.
    package var run: Int
    package var readAt: Int64

    package init(reader: String, run: Int, readAt: Int64) {
      self.reader = reader
      self.run = run
      self.readAt = readAt
    }
  }

  /// A watch, in the texts of its database.
  package struct SavedWatch: Hashable, Sendable {
    package var name: String?
    package var selection: String
    package var rule: String
    package var repeats: Watch.Repeat
    package var isUrgent: Bool
    package var createdAt: Int64
    package var pausedAt: Int64?

    package init(
      name: String?, selection: String, rule: String, repeats: Watch.Repeat, isUrgent: Bool,
      createdAt: Int64, pausedAt: Int64?
    ) {
      self.name = name
      self.selection = selection
      self.rule = rule
      self.repeats = repeats
      self.isUrgent = isUrgent
      self.createdAt = createdAt
      self.pausedAt = pausedAt
    }
  }

  /// A channel without its secrets.
  package struct Channel: Hashable, Sendable {
    package var name: String
    /// The settings as JSON.
    package var settings: String
    package var quietHours: String?

    package init(name: String, settings: String, quietHours: String?) {
      self.name = name
      self.settings = settings
      self.quietHours = quietHours
    }
  }

  package var name = ""
  package var role = User.Role.viewer
  /// Whether the user is the owner of the store.
  package var isOwner = false
  /// When the user was added; nil if a damaged or older database does not tell.
  package var createdAt: Int64?
  /// The latest first.
  package var searches: [Search] = []
  package var marks: [Mark] = []
  package var watches: [SavedWatch] = []
  /// The default first.
  package var channels: [Channel] = []

  package init() {}
}

extension ExportedUser {
  /// A user without searches and read marks.
  package init(_ user: User) {
    self.init()
    name = user.name
    role = user.role
    isOwner = user.isOwner
    createdAt = user.createdAt.storedSeconds
  }
}

extension ExportedUser.Search {
  package init(_ search: RecentSearch) {
    self.init(
      words: search.words, feed: search.feed,
      searchedAt: search.searchedAt.storedSeconds)
  }
}
