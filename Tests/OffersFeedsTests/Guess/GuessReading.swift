import OffersCore

@testable import OffersFeeds

/// The proposal for a document, and the result of reading the document with it.
struct GuessReading {
  let proposal: DefinitionGuess.Proposal
  let offers: [[OfferField: String]]

  var definition: FeedDefinition { proposal.definition }
  var yaml: String { DefinitionText.yaml(for: definition) }
  var ids: [String] { offers.compactMap { $0[.id] } }

  init(
    _ document: [UInt8], name: String = "feed", items: FieldPath? = nil, pieceSize: Int? = nil
  ) throws {
    let guess = DefinitionGuess(name: name, items: items)
    try StageRun.split(document, pieceSize.map { [$0] } ?? []) { try guess.consume($0) }
    proposal = try guess.finish()
    let reading = try FeedReading(document, as: proposal.definition)
    if let error = reading.error { throw error }
    offers = reading.offers
  }

  init(
    _ document: String, name: String = "feed", items: FieldPath? = nil, pieceSize: Int? = nil
  ) throws {
    try self.init(Array(document.utf8), name: name, items: items, pieceSize: pieceSize)
  }

  func all(_ field: OfferField) -> [String?] { offers.map { $0[field] } }

  /// The labels of the attributes, in order.
  var labels: [String] { definition.attributes.map(\.label) }
}
