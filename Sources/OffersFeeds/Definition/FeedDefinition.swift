import OffersCore

/// How to read one feed: where it is, where its offers stand in the document, and which field is
/// which. Written in YAML; see `DefinitionFile`.
package struct FeedDefinition: Sendable, Hashable {
  /// The feed's name, such as `ibotta`: lower-case letters, digits and hyphens.
  package var name: String
  /// The name for people: a constant, or a value of the document.
  package var title: TextRule
  /// How its offers are shown on a screen.
  package var layout: FeedLayout
  /// Where it is read from: a URL or file, with {page} and {env:NAME} in it; nil for a feed that
  /// has no source until somebody names one.
  package var source: Template?
  /// The URL that answers a search, with {query} and mostly {page} in it.
  package var search: Template?
  /// Extra request headers, in the order written.
  package var headers: [RequestHeader]
  /// How often to sync; nil for the default.
  package var everySeconds: Int?
  /// Where the document says for how many minutes it stays good.
  package var ttl: FieldPath?
  /// How often a feed is synced whose definition does not say.
  package static let defaultEverySeconds = 86_400
  /// The document's format; nil to find it out from the document.
  package var format: FeedFormat?
  /// The document's character encoding in lower case, such as `windows-1252`, where the document
  /// is known to say a wrong one or none.
  package var encoding: String?
  /// Where the offers stand: the first of these paths that the document has. Never empty; a path
  /// may be, which means the root: a list, or an object that is the only offer.
  package var items: [FieldPath]
  /// True when the document is a selection (a search, a first page): what it lacks is not gone.
  package var isSelection: Bool
  /// How to get from one page of the feed to the next; nil for one document.
  package var pages: PageRule?
  /// Values of the document that say what went wrong when it holds no offers, first present one.
  package var error: [FieldPath]
  /// What `$`, or a bare number in a reward, stands for: an ISO 4217 code.
  package var currency: String?
  /// Which number is the day in `01/02/2026`; nil where such a date is not understood.
  package var dateOrder: DateOrder?
  /// What tells one offer from another.
  package var id: IDRule
  /// Which value each field takes; `id` and `attributes` are not among them.
  package var fields: [OfferField: FieldRule]
  /// Labelled extras of each offer, in order.
  package var attributes: [AttributeRule]
  /// Labelled values of the document that every offer shows, in order.
  package var shared: [AttributeRule]

  package init(
    name: String, title: TextRule? = nil, layout: FeedLayout = .grid, source: Template? = nil,
    search: Template? = nil,
    headers: [RequestHeader] = [], everySeconds: Int? = nil, ttl: FieldPath? = nil,
    format: FeedFormat? = nil,
    encoding: String? = nil, items: [FieldPath] = [.root], isSelection: Bool = false,
    pages: PageRule? = nil, error: [FieldPath] = [], currency: String? = nil,
    dateOrder: DateOrder? = nil, id: IDRule,
    fields: [OfferField: FieldRule], attributes: [AttributeRule] = [], shared: [AttributeRule] = []
  ) {
    self.name = name
    self.title = title ?? TextRule(.constant(name))
    self.layout = layout
    self.source = source
    self.search = search
    self.headers = headers
    self.everySeconds = everySeconds
    self.ttl = ttl
    self.format = format
    self.encoding = encoding
    self.items = items
    self.isSelection = isSelection
    self.pages = pages
    self.error = error
    self.currency = currency
    self.dateOrder = dateOrder
    self.id = id
    self.fields = fields
    self.attributes = attributes
    self.shared = shared
  }
}

/// The formats a feed's document can have.
package enum FeedFormat: String, Sendable, Hashable, CaseIterable {
  /// One JSON document (RFC 8259).
  case json
  /// One JSON value a line.
  case ndjson
  /// XML: RSS, Atom, or any vocabulary.
  case xml
}

/// What tells one offer of a feed from another.
package enum IDRule: Sendable, Hashable {
  /// A value that the feed gives each offer.
  case value(FieldRule)
  /// Made from the values at these paths, for a feed whose offers have no id. Never empty.
  case madeFrom([FieldPath])
}

/// A labelled value.
package struct AttributeRule: Sendable, Hashable {
  /// What people see before the value, such as `Phone`. Never empty.
  package var label: String
  package var rule: FieldRule

  package init(label: String, rule: FieldRule) {
    self.label = label
    self.rule = rule
  }
}

/// A header that a request for the document carries.
package struct RequestHeader: Sendable, Hashable {
  /// A token (RFC 9110, section 5.6.2).
  package var name: String
  /// The value, mostly with {env:NAME} in it.
  package var value: Template

  package init(name: String, value: Template) {
    self.name = name
    self.value = value
  }
}

/// How to get from one page of a feed to the next.
package struct PageRule: Sendable, Hashable {
  /// Where the address of the next page stands.
  package enum Next: Sendable, Hashable {
    /// In the document.
    case path(FieldPath)
    /// In the answer's `Link` header with `rel="next"` (RFC 8288).
    case linkHeader
  }

  /// Where the next page's address stands; nil when {page} in the source counts the pages.
  package var next: Next?
  /// Where the document says how many pages there are.
  package var total: FieldPath?
  /// The number of the first page.
  package var first: Int
  /// How many pages to read at most.
  package var limit: Int

  package static let defaultFirst = 1
  package static let defaultLimit = 20

  package init(
    next: Next? = nil, total: FieldPath? = nil, first: Int = defaultFirst, limit: Int = defaultLimit
  ) {
    self.next = next
    self.total = total
    self.first = first
    self.limit = limit
  }
}

extension FeedDefinition {
  /// Stands for everything besides the document that a stored offer is derived from. It seeds the
  /// content hash: when the rules change, so does this number, and the next sync looks at every
  /// offer again.
  package var derivationSeed: UInt64 {
    var rules = self
    // Where and when it is read and how it is shown makes no difference to what is found.
    rules.layout = .grid
    rules.source = nil
    rules.search = nil
    rules.headers = []
    rules.everySeconds = nil
    rules.ttl = nil
    rules.title = FieldRule(.constant(name))
    var hash = ContentHash(seed: 1)
    let ours = [RewardParser.rules, DateParser.rules, LinkResolver.rules]
    for text in [DefinitionText.yaml(for: rules)] + ours {
      var text = text
      text.withUTF8 { hash.combine(UnsafeRawBufferPointer($0)) }
    }
    return hash.value
  }
}
