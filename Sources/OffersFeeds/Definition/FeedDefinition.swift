import OffersCore

/// How to read one feed: its address, the path of the offers in its document, and the value of each
/// field. Written in YAML; see `DefinitionFile`.
package struct FeedDefinition: Sendable, Hashable {
  /// The feed's name, such as `ibotta`: lower-case letters, digits and hyphens.
  package var name: String
  /// The name that people see: a constant, or a value of the document.
  package var title: TextRule
  /// How the offers are shown: in which layout, with which words, and with which byline.
  package var presentation: FeedPresentation = FeedPresentation()
  /// The http or https URL of the site to which the feed belongs; nil if the definition has none.
  package var home: String?
  /// The URL or file to read, in which {page} and {env:NAME} may occur; nil for a feed whose source
  /// the user names when syncing.
  package var source: Template?
  /// Whether the source is limited to the public internet, because it was not named on this machine
  /// (`public-only: true`). It has no variables, and it gets no headers.
  package var isPublicOnly: Bool = false
  /// The URL of a search, with {query} and usually {page} in it; nil for a feed without a search.
  package var search: Template?
  /// Additional request headers, in the order of the file.
  package var headers: [RequestHeader] = []
  /// The sync interval; nil for `defaultEverySeconds`.
  package var everySeconds: Int?
  /// How long removals of many offers are held back; nil for `RemovalHold.usual`.
  package var hold: RemovalHold?
  /// The path of the number of minutes for which the document stays valid (RSS `ttl`).
  package var ttl: FieldPath?
  /// The sync interval of a feed whose definition has none.
  package static let defaultEverySeconds = 86_400
  /// The document's format; nil to detect it.
  package var format: FeedFormat?
  /// The character between the cells of a table; nil to find it.
  package var delimiter: UInt8?
  /// The names of the columns of a table without a header; empty to read its header.
  package var header: [String] = []
  /// The document's character encoding in lower case, such as `windows-1252`, for documents that
  /// declare a wrong one or none.
  package var encoding: String?
  /// The paths of the offers, never empty. If the document has several of them, the one whose list
  /// comes first in it applies. An empty path is the root: a list, or an object that is the only
  /// offer.
  package var items: [FieldPath] = [.root]
  /// True when the document is a selection, such as a search or a first page: offers that it lacks
  /// are not gone.
  package var isSelection: Bool = false
  /// True when the document shows the newest of a longer list: an offer that newer ones have pushed out
  /// at its end is not gone.
  package var isWindow: Bool = false
  /// How to get from one page of the feed to the next; nil for the default rule, by which there are
  /// several pages only if the source contains {page} or {offset}, or the search {page}.
  package var pages: PageRule?
  /// Paths of the error message of a document without offers; the first one present applies.
  package var error: [FieldPath] = []
  /// The ISO 4217 code of the feed's currency; nil if it is unknown. It is the currency of rewards
  /// that are bare numbers, of `$` and `¥` if that is the currency's own sign, and of `¢` if the
  /// currency is a dollar or the euro.
  package var currency: String?
  /// Whether the day or the month comes first in `01/02/2026`; nil if it is unknown, and such dates
  /// are not parsed.
  package var dateOrder: DateOrder?
  /// The zone of the feed's days and of its times without a zone, as the definition writes it, such as
  /// `Europe/Berlin`; nil for the zone of the user.
  package var zone: String?
  /// Whether a reward, price or end that a record lacks is read from the offer's title and description.
  package var readsText = true
  /// The identity of an offer within the feed.
  package var id: IDRule
  /// The rules of the fields that the feed has, except `id` and `attributes`.
  package var fields: [OfferField: FieldRule]
  /// Labelled additional values of each offer, in order.
  package var attributes: [AttributeRule] = []
  /// Labelled values of the document that are shown with every offer, in order.
  package var shared: [AttributeRule] = []
}

extension FeedDefinition {
  /// The definition of a feed whose title is its name.
  package init(name: String, id: IDRule, fields: [OfferField: FieldRule]) {
    self.init(name: name, title: TextRule(.constant(name)), id: id, fields: fields)
  }

  /// The zone of the feed's days.
  var dayZone: DayZone { zone.flatMap { DayZone($0) } ?? .user }
}

/// The formats a feed's document can have.
package enum FeedFormat: String, Sendable, Hashable, CaseIterable {
  /// One JSON document (RFC 8259).
  case json
  /// One JSON value a line.
  case ndjson
  /// XML: RSS, Atom, or any vocabulary.
  case xml
  /// A table with any delimiter (RFC 4180), whose rows are the offers.
  case csv
  /// A web page with JSON-LD, whose products are the offers (https://schema.org/Product).
  case jsonLD = "json-ld"

  /// Whether the document is nothing but a list of records, one in each line or row.
  var listsRecords: Bool { self == .ndjson || self == .csv }
}

/// The identity of an offer within its feed.
package enum IDRule: Sendable, Hashable {
  /// A value that the feed gives each offer.
  case value(FieldRule)
  /// A value that the feed gives some offers, and for the others an id made from the values at these
  /// paths.
  case valueOrMade(FieldRule, from: [FieldPath])
  /// An id made from the values at these paths, for a feed whose offers have none. The list is not
  /// empty.
  case madeFrom([FieldPath])
}

/// The rule of a value that people see with a label.
package struct AttributeRule: Sendable, Hashable {
  /// The label that people see, such as `Phone`. Never empty.
  package var label: String
  package var rule: FieldRule

  package init(label: String, rule: FieldRule) {
    self.label = label
    self.rule = rule
  }
}

/// A header of the request for the document.
package struct RequestHeader: Sendable, Hashable {
  /// A token (RFC 9110, section 5.6.2).
  package var name: String
  /// The value, usually with {env:NAME} in it.
  package var value: Template

  package init(name: String, value: Template) {
    self.name = name
    self.value = value
  }
}

extension FeedDefinition {
  /// A hash of everything besides the document that determines a stored offer: the rules of the
  /// definition and the versions of the parsers. It seeds the content hashes, so that the next sync
  /// compares every offer again after the rules change.
  package var derivationSeed: UInt64 {
    var rules = self
    // Address, interval and presentation do not influence the stored offers. The role of the values does, because a
    // price is never a percentage.
    rules.presentation = FeedPresentation(valueRole: presentation.valueRole)
    rules.home = nil
    rules.source = nil
    rules.isPublicOnly = false
    rules.search = nil
    rules.headers = []
    rules.everySeconds = nil
    rules.hold = nil
    rules.isWindow = false
    rules.ttl = nil
    rules.title = FieldRule(.constant(name))
    var hash = ContentHash(seed: 1)
    var ours = [RewardParser.rules, DateParser.rules, LinkResolver.rules, OfferLimits.rules]
    if readsText { ours += [DealText.rules, EndText.rules] }
    for text in [DefinitionText.nodes(of: rules)] + ours {
      var text = text
      text.withUTF8 { hash.combine(UnsafeRawBufferPointer($0)) }
    }
    return hash.value
  }
}

/// How long a document that would remove many offers is held back: until a later document, fetched
/// after that time, lacks the same offers. Written as `6h`, `0` or `never`.
package enum RemovalHold: Hashable, Sendable {
  /// A number of seconds; 0 for feeds that turn over by nature, whose offers go at once.
  case seconds(Int)
  /// Only a person removes the offers.
  case never

  /// The hold of a feed whose definition has none.
  package static let usual = RemovalHold.seconds(6 * 3600)

  /// - Throws: `OffersError` with `invalidRequest` for another text.
  init(parsing text: String) throws {
    switch text {
    case "never": self = .never
    case "0": self = .seconds(0)
    default:
      do {
        self = .seconds(try IntervalText.seconds(parsing: text))
      } catch is OffersError {
        throw OffersError(
          .invalidRequest, "“\(text)” is not a time for which removals are held back.",
          hint: "Write a number and m, h, d or w, as in 6h or 2d, or 0, or never.")
      }
    }
  }

  /// The hold as a definition states it: `never`, `0` or an interval such as `6h`.
  var text: String {
    switch self {
    case .never: "never"
    case .seconds(0): "0"
    case .seconds(let seconds): IntervalText.text(seconds: seconds)
    }
  }
}

/// An interval between syncs as text, such as `30m`, `6h`, `1d` or `2w`.
package enum IntervalText {
  private static let units: [(letter: Character, seconds: Int)] = [
    ("w", 604_800), ("d", 86_400), ("h", 3600), ("m", 60),
  ]
  /// The longest interval: a leap year.
  private static let limitSeconds = 366 * 86_400

  /// Parses an interval; returns seconds.
  ///
  /// - Throws: `OffersError` with `invalidRequest` for another form, less than a minute, or more
  ///   than 366 days.
  package static func seconds(parsing text: String) throws -> Int {
    let digits = text.dropLast()
    guard let unit = units.first(where: { $0.letter == text.last }), !digits.isEmpty,
      digits.utf8.allSatisfy({ (0x30...0x39).contains($0) })
    else {
      throw OffersError(
        .invalidRequest, "“\(text)” is not an interval between syncs.",
        hint: "Write a number and m, h, d or w, as in 30m, 6h, 1d or 2w.")
    }
    let number = Int(digits) ?? .max
    guard number >= 1 else {
      throw OffersError(
        .invalidRequest, "“\(text)” is too short an interval between syncs.",
        hint: "The shortest interval is 1m.")
    }
    let (seconds, isTooLarge) = number.multipliedReportingOverflow(by: unit.seconds)
    guard !isTooLarge, seconds <= limitSeconds else {
      throw OffersError(
        .invalidRequest, "“\(text)” is too long an interval between syncs.",
        hint: "The longest interval is 52w."
      )
    }
    return seconds
  }

  /// Refuses an interval that no feed can have.
  ///
  /// - Throws: `OffersError` with `invalidRequest` for an interval that is not whole minutes from
  ///   one minute to 366 days.
  package static func check(_ seconds: Int) throws {
    if seconds >= 60, seconds <= limitSeconds, seconds % 60 == 0 { return }
    throw OffersError(
      .invalidRequest, "\(seconds) seconds is not an interval between syncs.",
      hint: "Give whole minutes, from one minute to a year.")
  }

  /// The shortest text of an interval, in the largest unit that divides it; part of a minute is
  /// rounded up.
  package static func text(seconds: Int) -> String {
    for unit in units where seconds >= unit.seconds && seconds % unit.seconds == 0 {
      return "\(seconds / unit.seconds)\(unit.letter)"
    }
    return "\(max(1, (seconds + 59) / 60))m"
  }
}
