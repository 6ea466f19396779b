import OffersCore

/// Proposes a definition for an unknown document, from its start.
///
/// Keeps no more than the first 4 MiB of the text; a sample that ends within a value is fine. The work is
/// linear in the size of the sample, and ends when the task is cancelled.
package final class DefinitionGuess {
  /// A proposed definition.
  package struct Proposal: Sendable {
    /// The definition, without a source.
    package var definition: FeedDefinition
    /// The number of items in the sample.
    package var itemCount: Int
    /// The points that the user should check, as whole sentences, besides the currency.
    package var points: [String]
    /// The kind of the document; nil if its format does not say what its items are.
    package var kind: WellKnownKind?
    /// The members of the items, for values that the user maps to a field; nil for a known kind.
    var fields: FieldGuess?

    /// The sentence about amounts whose currency is unknown; nil if there are none.
    var currencyNote: String?

    /// All points that the user should check, as whole sentences.
    package var notes: [String] { points + [currencyNote].compactMap(\.self) }
  }

  private let name: String
  private let items: FieldPath?
  private let missing: [String]
  private let isOnWeb: Bool
  /// Takes any value as an offer.
  private var blank = FeedDefinition(
    name: "feed", id: .madeFrom([.itself]), fields: [.name: FieldRule(.path(.itself))])
  private let transcoder: TextTranscoder
  private var text: [UInt8] = []
  private var isCut = false

  private static let sampleBytes = 4 << 20

  /// - Parameters:
  ///   - name: the name of the feed; `finish` refuses an invalid one.
  ///   - charset: the encoding that the server declares.
  ///   - items: the path of the offers; nil to find it.
  ///   - missing: the required values, `id` and `name`, that the user has not mapped. That no id is
  ///     found is an error only if the list contains `id`.
  ///   - isOnWeb: whether the document has an http or https address, from which relative addresses count.
  package init(
    name: String = "feed", charset: String? = nil, items: FieldPath? = nil,
    missing: [String] = ["id", "name"], isOnWeb: Bool = true
  ) {
    self.isOnWeb = isOnWeb
    self.name = name
    self.items = items
    self.missing = missing
    transcoder = TextTranscoder(charset: charset)
  }

  /// True when the sample is full, so that the rest of the document need not be fetched.
  package var hasEnough: Bool { isCut }

  /// Reads the next bytes of the document, decompressed.
  ///
  /// - Throws: `OffersError` with `malformedFeed` when the encoding is not supported.
  package func consume(_ bytes: UnsafeRawBufferPointer) throws {
    if !isCut { try transcoder.consume(bytes, keep) }
  }

  /// Returns the proposal for the document, which has ended. This takes up to seconds of work.
  ///
  /// - Throws: `OffersError` with `malformedFeed` for a web page and for an unreadable document;
  ///   `unexpectedShape` when no list of offers is found (the message names the lists of the
  ///   document), or when no stable values distinguish the offers; `invalidRequest` when the items
  ///   at a given path are not recognized as offers, or the name is not valid; `CancellationError`.
  package func finish() throws -> Proposal {
    try FeedName.check(name)
    if !isCut { try transcoder.finish(keep) }
    let format = try FormatDetection.find(in: text, definition: blank, isWhole: true) ?? .json
    let sample = Sample(text, as: format)
    var proposal: Proposal
    if items == nil, let kind = WellKnownKind(sample) {
      proposal = try propose(kind)
    } else {
      try checkIsValid(sample)
      proposal = try propose(from: sample, format)
    }
    if isCut { proposal.points.append("Only the first 4 MiB of the document were looked at.") }
    return proposal
  }

  private func keep(_ piece: UnsafeRawBufferPointer) {
    let room = Self.sampleBytes - text.count
    if piece.count > room { isCut = true }
    text.append(contentsOf: piece.prefix(room))
  }

  /// Proposes the definition of a known kind, without the first rules of its id that give several items
  /// the same id, if the rules after them tell more items apart.
  private func propose(_ kind: WellKnownKind) throws -> Proposal {
    var best = try kind.definition(named: name)
    var reading = try SampleReading(text, as: best, isCut: isCut)
    for id in best.id.shorter where reading.repeatCount > 0 {
      var other = best
      other.id = id
      let next = try SampleReading(text, as: other, isCut: isCut)
      if next.idCount > reading.idCount { (best, reading) = (other, next) }
    }
    var proposal = Proposal(
      definition: best, itemCount: reading.itemCount, points: reading.notes, kind: kind)
    if kind == .shopify { proposal.currencyNote = DefinitionDraft.currencyNote("USD", .price) }
    return proposal
  }

  private func propose(from sample: Sample, _ format: FeedFormat) throws -> Proposal {
    guard let root = sample.root else {
      throw OffersError(
        .malformedFeed, "The document has nothing in it that can be read.",
        hint: "Check the source.")
    }
    try Task.checkCancellation()
    let candidates = ItemsGuess(root, isXML: sample.isXML)
    let steps = try items?.steps ?? (candidates.isOneOffer(root) ? [] : candidates.best())
    let found = SampleItems(root, at: steps, isXML: sample.isXML, takesOne: items != nil)
    if let items, found.items.isEmpty {
      // The feed reader says where the path ends, and which path was probably meant.
      blank.items = [items]
      if !isCut { _ = try SampleReading(text, as: blank, isCut: false) }
      throw candidates.problem(at: items)
    }
    var draft = DefinitionDraft(found, in: root, format: format, name: name, isOnWeb: isOnWeb)
    let made = try draft.made()
    if let problem = draft.idProblem, missing.contains("id") { throw problem }
    let reading = try made.map { try SampleReading(text, as: $0.0, isCut: isCut) }
    guard let made, let reading, reading.offerCount > 0 else {
      throw items == nil
        ? candidates.problem() : DefinitionOverride.missingProblem(missing, keys: found.keys)
    }
    return Proposal(
      definition: made.0, itemCount: reading.itemCount, points: made.notes + reading.notes,
      fields: draft.fields, currencyNote: draft.currencyNote)
  }

  /// Refuses XML without an element, and JSON that is invalid or incomplete unless the sample is
  /// only the start of the document, with the error of the feed reader.
  private func checkIsValid(_ sample: Sample) throws {
    guard sample.root == nil || sample.isBroken, sample.isXML || !isCut else { return }
    do {
      _ = try SampleReading(text, as: blank, isCut: false)
    } catch let error as OffersError where error.code == .unexpectedShape && !sample.isXML {
      // The document is valid. This error only says that the blank definition finds no offers in
      // it.
    }
  }
}
