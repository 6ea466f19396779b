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
    /// How to read values that the user maps to a field.
    package var judgement = ReadingGuess()

    /// The sentence about amounts whose currency is unknown; nil if there are none.
    var currencyNote: String?

    /// All points that the user should check, as whole sentences.
    package var notes: [String] { points + [currencyNote].compactMap(\.self) }
  }

  private let name: String
  private let items: FieldPath?
  private let missing: [String]
  private let isOnWeb: Bool
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
    var proposal: Proposal
    if items == nil, let kind = WellKnownKind.find(in: text) {
      proposal = try read(by: distinguishing(kind.definition(named: name))).proposal
      proposal.kind = kind
      if kind == .shopify {
        proposal.currencyNote = DefinitionDraft.currencyNote("USD", .price)
      }
    } else {
      proposal = try guess()
    }
    if isCut { proposal.points.append("Only the first 4 MiB of the document were looked at.") }
    return proposal
  }

  private func keep(_ piece: UnsafeRawBufferPointer) {
    let room = Self.sampleBytes - text.count
    if piece.count > room { isCut = true }
    text.append(contentsOf: piece.prefix(room))
  }

  /// Makes a proposal of a definition, which is used to read the sample, in order to count its
  /// items and note their problems. `offerCount` is the number of items that are offers.
  private func read(
    by definition: FeedDefinition
  ) throws -> (proposal: Proposal, offerCount: Int) {
    let trial = try SampleReading(text, as: definition, isCut: isCut)
    let proposal = Proposal(
      definition: definition, itemCount: trial.itemCount, points: trial.notes)
    return (proposal, trial.offerCount)
  }

  /// The definition without the first rules of its id that give several items of the sample the same
  /// id, if the rules after them tell more items apart.
  private func distinguishing(_ definition: FeedDefinition) throws -> FeedDefinition {
    var best = definition
    var reading = try SampleReading(text, as: definition, isCut: isCut)
    for id in definition.id.shorter where reading.repeatCount > 0 {
      var other = definition
      other.id = id
      let next = try SampleReading(text, as: other, isCut: isCut)
      if next.idCount > reading.idCount { (best, reading) = (other, next) }
    }
    return best
  }

  private func guess() throws -> Proposal {
    let blank = FeedDefinition(
      name: name, id: .madeFrom([.itself]), fields: [.name: FieldRule(.path(.itself))])
    let format = try FormatDetection.find(in: text, definition: blank, isWhole: true) ?? .json
    guard let root = try readSample(format, blank) else {
      throw OffersError(
        .malformedFeed, "The document has nothing in it that can be read.",
        hint: "Check the source.")
    }
    try Task.checkCancellation()
    let candidates = ItemsGuess(root, isXML: format == .xml)
    let steps: [FieldPath.Step]
    if let items {
      steps = items.steps
    } else {
      steps = candidates.isOneOffer(root) ? [] : try candidates.best().steps
    }
    let found = SampleItems(
      root, at: steps, isXML: format == .xml, takesOne: items != nil)
    if let items, found.items.isEmpty {
      throw ItemsPathProblem(root, isXML: format == .xml).problem(at: items, candidates)
    }
    var draft = DefinitionDraft(found, in: root, format: format, name: name, isOnWeb: isOnWeb)
    let problem =
      items == nil
      ? candidates.problem() : DefinitionOverride.missingProblem(missing, keys: found.keys)
    let made = try draft.made()
    if let idProblem = draft.idProblem, missing.contains("id") { throw idProblem }
    guard let (definition, notes) = made else { throw problem }
    var (proposal, offerCount) = try read(by: definition)
    if offerCount == 0 { throw problem }
    proposal.points.insert(contentsOf: notes, at: 0)
    proposal.judgement = draft.judgement
    proposal.currencyNote = draft.currencyNote
    return proposal
  }

  /// Reads the sample as a tree of values; nil if it has none. XML without an element is refused
  /// with the error of the feed reader. So is JSON that is invalid or incomplete, unless the sample
  /// is only the start of the document.
  private func readSample(
    _ format: FeedFormat, _ blank: FeedDefinition
  ) throws -> SampleValue? {
    if format == .xml {
      let root = XMLSample.read(text)
      if root == nil { _ = try SampleReading(text, as: blank, isCut: false) }
      return root
    }
    let sample = JSONSample.read(text, isLines: format == .ndjson)
    if sample?.isBroken == true || sample?.root == nil, !isCut {
      do {
        _ = try SampleReading(text, as: blank, isCut: false)
      } catch let error as OffersError where error.code == .unexpectedShape {
        // The document is valid. This error only says that the blank definition finds no offers in
        // it.
      }
    }
    return sample?.root
  }
}
