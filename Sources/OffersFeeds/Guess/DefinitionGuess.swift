import OffersCore

/// Looks at the start of an unknown document and proposes how to read it.
///
/// No more than the first 4 MiB of its text are kept and looked at; it makes no difference where
/// they are cut off.
package final class DefinitionGuess {
  /// How a document may be read.
  package struct Proposal: Sendable {
    /// Has no source.
    package var definition: FeedDefinition
    /// How many items the sample has.
    package var itemCount: Int
    /// What a person should look at, in whole sentences.
    package var notes: [String]
    /// How values are best read that a person maps to a field.
    package var judgement = SampleJudgement()
  }

  private let name: String
  private let items: FieldPath?
  private let missing: [String]
  private let transcoder: TextTranscoder
  private var text: [UInt8] = []
  private var isCut = false

  private static let sampleBytes = 4 << 20

  /// - Parameters:
  ///   - name: what the feed is to be called: a feed's name, which is not checked here.
  ///   - charset: the encoding that the server names.
  ///   - items: where the offers stand; nil to find that out.
  ///   - missing: which of `id` and `name` nobody has said yet: an id that cannot be made is
  ///     refused only where it is one of them.
  package init(
    name: String = "feed", charset: String? = nil, items: FieldPath? = nil,
    missing: [String] = ["id", "name"]
  ) {
    self.name = name
    self.items = items
    self.missing = missing
    transcoder = TextTranscoder(charset: charset)
  }

  /// True when no more of the document is looked at, so that the rest need not be fetched.
  package var hasEnough: Bool { isCut }

  /// Takes the next bytes of the document, unpacked.
  ///
  /// - Throws: `OffersError` with `malformedFeed` when the encoding is not known.
  package func consume(_ bytes: UnsafeRawBufferPointer) throws {
    if !isCut { try transcoder.consume(bytes, keep) }
  }

  /// What can be said of the document.
  ///
  /// - Throws: `OffersError` with `malformedFeed` for a web page and for what cannot be read at all,
  ///   `unexpectedShape` where no list of offers is found, naming the lists that were seen, and
  ///   where nothing that stays as it is tells the offers apart.
  package func finish() throws -> Proposal {
    if !isCut { try transcoder.finish(keep) }
    var proposal: Proposal
    if items == nil, let kind = WellKnownKind.find(in: text) {
      proposal = try read(by: kind.definition(named: name)).proposal
      if kind == .shopify { proposal.notes.append(DefinitionDraft.currencyNote("USD")) }
    } else {
      proposal = try guess()
    }
    if isCut { proposal.notes.append("Only the first 4 MiB of the document were looked at.") }
    return proposal
  }

  private func keep(_ piece: UnsafeRawBufferPointer) {
    let room = Self.sampleBytes - text.count
    if piece.count > room { isCut = true }
    text.append(contentsOf: piece.prefix(room))
  }

  /// A definition, and what comes of reading the sample by it.
  private func read(
    by definition: FeedDefinition
  ) throws -> (proposal: Proposal, offerCount: Int) {
    let trial = try SampleReading(text, as: definition, isCut: isCut)
    let proposal = Proposal(
      definition: definition, itemCount: trial.itemCount, notes: trial.notes)
    return (proposal, trial.offerCount)
  }

  private func guess() throws -> Proposal {
    let blank = FeedDefinition(
      name: name, id: .madeFrom([.itself]), fields: [.name: FieldRule(.path(.itself))])
    let format = try DocumentFormat.find(in: text, definition: blank, isWhole: true) ?? .json
    guard let root = try readSample(format, blank) else {
      throw OffersError(
        .malformedFeed, "The document has nothing in it that can be read.",
        hint: "Check the source.")
    }
    let candidates = ItemsGuess(root, isXML: format == .xml)
    let steps: [FieldPath.Step]
    if let items {
      steps = items.steps
    } else {
      steps = candidates.isOneOffer(root) ? [] : try candidates.best().steps
    }
    let found = SampleItems(root, at: steps, isXML: format == .xml)
    if let items, found.items.isEmpty {
      throw SampleWalk(root, isXML: format == .xml).problem(at: items, candidates)
    }
    var draft = DefinitionDraft(found, in: root, format: format, name: name)
    let problem =
      items == nil
      ? candidates.problem() : DefinitionOverride.missingProblem(missing, keys: found.keys)
    let made = draft.made()
    if let idProblem = draft.idProblem, missing.contains("id") { throw idProblem }
    guard let (definition, notes) = made else { throw problem }
    var (proposal, offerCount) = try read(by: definition)
    if offerCount == 0 { throw problem }
    proposal.notes.insert(contentsOf: notes, at: 0)
    proposal.judgement = draft.judgement
    return proposal
  }

  /// The sample as a tree; a whole document that breaks off is refused as any reader refuses it.
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
        // It is sound as far as that goes.
      }
    }
    return sample?.root
  }
}
