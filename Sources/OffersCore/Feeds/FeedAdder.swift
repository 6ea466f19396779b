/// Proposes and adds feeds of the user's own. User interfaces depend on this protocol instead of on
/// the guess of definitions.
package protocol FeedAdder: Sendable {
  /// Reads a source, guesses how to read it as a feed, and reads it so. Nothing is stored.
  ///
  /// Only the public internet is read, unless the program was started with
  /// `--allow-private-network`; the limits of size and time are those of a sync.
  ///
  /// - Parameters:
  ///   - source: an http(s) URL. A file, standard input and environment variables are refused.
  ///   - name: the wanted name of the feed; nil to propose one that no feed has.
  /// - Throws: `OffersError` with `invalidRequest` for another source or an invalid name,
  ///   `sourceFailed` for a server that cannot be reached, `malformedFeed` for a web page or an
  ///   unreadable document, `unexpectedShape` for a document without offers; `CancellationError`.
  func propose(source: String, name: String?) async throws -> FeedProposal

  /// Stores the definition of a proposal in the database. The source stays limited to the public internet.
  ///
  /// - Parameters:
  ///   - proposal: the proposal to add.
  ///   - name: the name of the feed.
  ///   - title: the title of the feed; nil for the one that the document has.
  /// - Throws: `OffersError` with `invalidRequest` for an invalid name or title, and for the name of a
  ///   feed that exists; the errors of the store.
  func add(_ proposal: FeedProposal, name: String, title: String?) async throws
}

/// A feed that could be added: how its document would be read, and what that finds.
package struct FeedProposal: Hashable, Sendable {
  /// The place of a field's values in the document.
  package struct Field: Hashable, Sendable {
    /// The name of the field in a definition, such as `reward`, or the label of an attribute.
    package let name: String
    /// The path of its values.
    package let from: String
    /// The number of offers that have the field.
    package let offerCount: Int

    package init(name: String, from: String, offerCount: Int) {
      self.name = name
      self.from = from
      self.offerCount = offerCount
    }
  }

  /// The source, as the definition has it.
  package let source: String
  /// The name that the feed would have.
  package let name: String
  /// The title that the document has; nil if it has none.
  package let title: String?
  /// The format of the document: `json`, `ndjson` or `xml`; nil if it is detected at each sync.
  package let format: String?
  /// How pages would show the offers.
  package let presentation: FeedPresentation
  /// The fields that were found, in the order of a definition.
  package let fields: [Field]
  /// The number of records in the document, and the number of those that are offers.
  package let recordCount: Int
  package let offerCount: Int
  /// The first offers, as a sync would store them.
  package let offers: [Offer]
  /// The points that the user should check, in whole sentences.
  package let notes: [String]
  /// The definition, as YAML.
  package let definition: String

  package init(
    source: String, name: String, title: String?, format: String?,
    presentation: FeedPresentation, fields: [Field], recordCount: Int, offerCount: Int,
    offers: [Offer], notes: [String],
    definition: String
  ) {
    self.source = source
    self.name = name
    self.title = title
    self.format = format
    self.presentation = presentation
    self.fields = fields
    self.recordCount = recordCount
    self.offerCount = offerCount
    self.offers = offers
    self.notes = notes
    self.definition = definition
  }
}
