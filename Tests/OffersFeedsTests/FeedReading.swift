import OffersCore

@testable import OffersFeeds

/// The result of reading a document.
struct FeedReading: Equatable {
  let events: [RecordingSink.Event]
  let error: OffersError?

  /// Reads a document.
  ///
  /// - Parameter pieceSizes: the sizes of the chunks, which repeat; empty for one chunk.
  init(
    _ document: [UInt8], as definition: FeedDefinition = FeedDefinition.ibotta,
    pieceSizes: [Int] = []
  ) throws {
    let sink = RecordingSink()
    let reader = FeedReader(definition: definition, sink: sink)
    var failure: OffersError?
    do {
      try document.withUnsafeBytes { bytes in
        var rest = bytes[...]
        var turn = 0
        while !rest.isEmpty {
          let size = pieceSizes.isEmpty ? rest.count : pieceSizes[turn % pieceSizes.count]
          try reader.consume(UnsafeRawBufferPointer(rebasing: rest.prefix(size)))
          rest = rest.dropFirst(size)
          turn += 1
        }
      }
      try reader.finish()
    } catch let error as OffersError {
      failure = error
    }
    events = sink.events
    error = failure
  }

  init(
    _ document: String, as definition: FeedDefinition = FeedDefinition.ibotta,
    pieceSizes: [Int] = []
  ) throws {
    try self.init(Array(document.utf8), as: definition, pieceSizes: pieceSizes)
  }

  /// Reads a list of one record.
  init(record: String) throws {
    try self.init("[\(record)]")
  }

  /// The texts of the offers, in order.
  var offers: [[OfferField: String]] {
    events.compactMap { if case .offer(_, let texts) = $0 { texts } else { nil } }
  }

  /// The reasons of repaired records.
  var mends: [String] {
    events.compactMap { if case .mended(_, let reason) = $0 { reason } else { nil } }
  }

  var ids: [String?] { offers.map { $0[.id] } }
}

extension FeedDefinition {
  private static let fields: [OfferField: [String]] = [
    .name: ["name"], .description: ["description"], .terms: ["terms"],
    .reward: ["current_value"], .imageURL: ["url"],
  ]

  /// A bare list of `{id, url, name, description, terms, current_value}`, as the shipped definition
  /// reads it.
  static let ibotta = {
    var definition = made(name: "ibotta", fields: fields)
    definition.readsText = false
    return definition
  }()

  /// A feed with its list of offers below these keys, and the fields of the Ibotta feed.
  static func below(_ keys: String...) -> FeedDefinition {
    made(items: keys, fields: fields)
  }

  /// A bare list whose records have these fields.
  static func with(_ fields: [OfferField: [String]]) -> FeedDefinition {
    made(fields: fields)
  }

  private static func made(
    name: String = "test", items: [String] = [], fields: [OfferField: [String]]
  ) -> FeedDefinition {
    var rules: [OfferField: FieldRule] = [:]
    for (field, keys) in fields where field != .id {
      rules[field] = FieldRule(.path(FieldPath(keys: keys)), reading: field.defaultReading)
    }
    return FeedDefinition(
      name: name, title: FieldRule(.constant("Ibotta offers")), format: .json, encoding: "utf-8",
      items: [FieldPath(isFromDocument: true, items.map(FieldPath.Step.key))], currency: "USD",
      id: .value(FieldRule(.path(FieldPath(keys: fields[.id] ?? ["id"])))), fields: rules)
  }
}
