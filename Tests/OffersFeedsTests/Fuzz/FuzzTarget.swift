import Foundation
import OffersCore
import OffersTestSupport

@testable import OffersFeeds

/// The kinds of inputs.
enum FuzzFormat: String, CaseIterable, Sendable {
  /// One JSON document.
  case json
  /// JSON lines: one JSON value per line.
  case ndjson
  /// XML of several vocabularies.
  case xml
  /// Tables with several delimiters.
  case table
  /// Web pages with JSON-LD.
  case page
  /// Web pages that link to feeds.
  case links
  /// Lists of feeds.
  case opml
  /// Compressed documents, and archives.
  case compressed
  /// Documents in encodings other than UTF-8.
  case encoded
  /// Feed definitions.
  case definition
  /// Dates, rewards and HTML.
  case value
  /// Unknown documents, for which a definition is guessed.
  case guess
  /// Exports of the program.
  case export
  /// Images, of which the headers are read.
  case image
}

/// A violation of a reader's guarantees.
struct FuzzFailure: Error, CustomStringConvertible {
  let description: String
}

/// Passes inputs of one kind to their reader and checks the results.
struct FuzzTarget {
  private let format: FuzzFormat
  private let definitions: [FeedDefinition]

  init(_ format: FuzzFormat) throws {
    self.format = format
    var definitions = try DefinitionFile.parse(FuzzSeeds.definitions, name: "fuzz.yaml")
    for name in FeedCatalog.names {
      if let shipped = try FeedCatalog.find(name) { definitions.append(shipped) }
    }
    self.definitions = definitions
  }

  /// Passes an input to its reader.
  ///
  /// - Parameter random: chooses the definition, the charset and the chunks.
  /// - Returns: true if the reader accepted the input, false if it threw an `OffersError`.
  /// - Throws: `FuzzFailure` when the reader throws another error, or a result violates a
  ///   guarantee.
  func run(_ input: [UInt8], _ random: inout SeededGenerator) throws -> Bool {
    do {
      switch format {
      case .json, .ndjson, .xml, .table, .page, .encoded: return try read(input, &random)
      case .links: return try readLinks(input)
      case .opml: return try readList(input)
      case .compressed: return try unpack(input, &random)
      case .definition: return try define(input)
      case .value:
        try readValues(input)
        return true
      case .guess: return try guess(input)
      case .export: return try readExport(input, &random)
      case .image:
        _ = try ImageHeader(reading: input)
        return true
      }
    } catch is OffersError {
      return false
    } catch let failure as FuzzFailure {
      throw failure
    } catch {
      throw FuzzFailure(description: "an error that is not OffersError: \(error)")
    }
  }

  private func read(_ input: [UInt8], _ random: inout SeededGenerator) throws -> Bool {
    // The first definition fits most documents.
    let place = random.below(2) == 0 ? 0 : random.below(definitions.count)
    var definition = definitions[place]
    if format == .page { definition = try WellKnownKind.jsonld.definition(named: "page") }
    if format == .ndjson { definition.format = .ndjson }
    if format == .table {
      definition.format = .csv
      if random.below(8) == 0 { definition.delimiter = 0x3B }
      if random.below(8) == 0 { definition.header = ["id", "name", "", "name"] }
    }
    if random.below(4) == 0, format != .page { definition.format = nil }
    if format == .encoded { definition.encoding = nil }
    let charset =
      format == .encoded ? FuzzSeeds.charsets[random.below(FuzzSeeds.charsets.count)] : nil
    let whole = try Self.outcome(input, definition, charset, chunkSizes: nil)
    if random.below(2) == 0 {
      let sizes = (0..<4).map { _ in 1 + random.below(random.below(2) == 0 ? 8 : 700) }
      let cut = try Self.outcome(input, definition, charset, chunkSizes: sizes)
      if cut != whole {
        throw FuzzFailure(description: "chunks of \(sizes) give \(cut), one chunk gives \(whole)")
      }
    }
    return whole.isAccepted
  }

  private struct Outcome: Equatable, CustomStringConvertible {
    let isAccepted: Bool
    let hash: UInt64
    let count: Int
    var description: String { "\(isAccepted ? "accepted" : "refused"), \(count) events, \(hash)" }
  }

  private static func outcome(
    _ input: [UInt8], _ definition: FeedDefinition, _ charset: String?, chunkSizes: [Int]?
  ) throws -> Outcome {
    let sink = FuzzSink()
    let reader = FeedReader(
      definition: definition, address: "https://example.com/feed", charset: charset, sink: sink)
    var isAccepted = true
    do {
      try FuzzChunks.forEach(in: input, sizes: chunkSizes) { try reader.consume($0) }
      try reader.finish()
    } catch is OffersError {
      isAccepted = false
    }
    _ = reader.facts
    if let failure = sink.failure { throw failure }
    return Outcome(isAccepted: isAccepted, hash: sink.hash, count: sink.count)
  }

  /// The header has the links of the page as they are written, too.
  private func readLinks(_ input: [UInt8]) throws -> Bool {
    let header = input.split(separator: 0x22).prefix(300).map { part in
      PageLink(
        relations: ["alternate"], type: "application/rss+xml",
        target: String(decoding: part, as: UTF8.self), title: "")
    }
    var isAccepted = false
    for header in [[], header] {
      let links = FeedLinks(page: input, address: "https://example.com/a/", header: header)
      let addresses = links.feeds.map(\.address) + links.anchors
      for address in addresses {
        guard let url = URL(string: address), ["http", "https"].contains(url.scheme),
          url.host?.isEmpty == false
        else { throw FuzzFailure(description: "a page links to the feed \(address)") }
      }
      if Set(addresses).count < addresses.count {
        throw FuzzFailure(description: "a feed comes twice: \(addresses)")
      }
      if header.isEmpty { isAccepted = !addresses.isEmpty }
    }
    return isAccepted
  }

  private func readList(_ input: [UInt8]) throws -> Bool {
    let written = OPML.text(try OPML.read(input), title: "Feeds")
    let again = OPML.text(try OPML.read(Array(written.utf8)), title: "Feeds")
    if again != written {
      throw FuzzFailure(description: "a list changes when written and read: \(written)")
    }
    return true
  }

  private func unpack(_ input: [UInt8], _ random: inout SeededGenerator) throws -> Bool {
    let limit = 1 << 20
    let unpacker = Decompressor(limitBytes: limit, isRawDeflate: random.below(3) == 0)
    var count = 0
    try FuzzChunks.forEach(in: input, sizes: [1 + random.below(300)]) { chunk in
      try unpacker.consume(chunk) { count += $0.count }
    }
    try unpacker.finish { count += $0.count }
    if unpacker.isCompressed, count > limit {
      throw FuzzFailure(description: "\(count) bytes of output, above the limit of \(limit)")
    }
    return true
  }

  private func define(_ input: [UInt8]) throws -> Bool {
    let text = String(decoding: input, as: UTF8.self)
    let definitions: [FeedDefinition]
    do {
      definitions = try DefinitionFile.parse(text, name: "fuzz.yaml")
    } catch let error as OffersError {
      let line = error.message.split(separator: ":").dropFirst().first.flatMap { Int($0) }
      if line == nil { throw FuzzFailure(description: "no line in the error: \(error)") }
      throw error
    }
    for definition in definitions {
      let yaml = DefinitionText.yaml(for: definition)
      guard try DefinitionFile.parse(yaml, name: "again.yaml") == [definition] else {
        throw FuzzFailure(description: "a definition changes when written and parsed: \(yaml)")
      }
    }
    return true
  }

  private func readValues(_ input: [UInt8]) throws {
    var html: [UInt8] = []
    input.withUnsafeBytes { bytes in
      _ = DateParser.parse(bytes)
      for currency in [nil, "USD", "EUR", "JPY"] {
        _ = RewardParser(feedCurrency: currency).parse(bytes)
      }
      HTMLText.append(bytes, to: &html)
    }
    if String(validating: input, as: UTF8.self) != nil,
      String(validating: html, as: UTF8.self) == nil
    {
      throw FuzzFailure(description: "the text of valid HTML is not valid UTF-8")
    }
    try readTexts(input)
  }

  /// Searches a text for rewards, prices and ends, which are parts of whole characters.
  private func readTexts(_ input: [UInt8]) throws {
    let text = String(decoding: input, as: UTF8.self)
    var parts: [String] = []
    for isTitle in [true, false] {
      for (role, currency) in [(ValueRole.reward, nil), (.price, "EUR"), (.price, "CNY")] {
        let rewards = RewardParser(feedCurrency: currency, role: role)
        let found = DealText.find(in: text, role: role, isTitle: isTitle, rewards)
        if case .one(let part) = found { parts.append(part) }
      }
      let end = EndText.find(in: text, order: nil, published: 20_000, isTitle: isTitle)
      if case .one(_, let part) = end { parts.append(part) }
    }
    for part in parts where part.contains("\u{FFFD}") && !text.contains("\u{FFFD}") {
      throw FuzzFailure(description: "“\(part)” ends within a character")
    }
  }

  private func readExport(_ input: [UInt8], _ random: inout SeededGenerator) throws -> Bool {
    func count(_ sizes: [Int]?) throws -> Int? {
      var records = 0
      let reader = ExportReader(name: "fuzz.json") { _ in records += 1 }
      do {
        try FuzzChunks.forEach(in: input, sizes: sizes) { try reader.consume($0) }
        try reader.finish()
      } catch is OffersError {
        return nil
      }
      return records
    }
    let whole = try count(nil)
    let sizes = [1 + random.below(300)]
    guard try count(sizes) == whole else {
      throw FuzzFailure(description: "chunks of \(sizes) give other records than one chunk")
    }
    return whole != nil
  }

  private func guess(_ input: [UInt8]) throws -> Bool {
    let guess = DefinitionGuess(name: "feed")
    try input.withUnsafeBytes { try guess.consume($0) }
    let proposal = try guess.finish()
    let yaml = DefinitionText.yaml(for: proposal.definition)
    guard try DefinitionFile.parse(yaml, name: "guess.yaml") == [proposal.definition] else {
      throw FuzzFailure(description: "a guess changes when written and parsed: \(yaml)")
    }
    _ = try Self.outcome(input, proposal.definition, nil, chunkSizes: nil)
    return true
  }
}

/// Divides an input into chunks of the given sizes, which repeat until the input's end; into a
/// single chunk if the sizes are nil.
enum FuzzChunks {
  static func forEach(
    in input: [UInt8], sizes: [Int]?, _ body: (UnsafeRawBufferPointer) throws -> Void
  ) throws {
    try input.withUnsafeBytes { bytes in
      guard let sizes else { return try body(bytes) }
      var start = 0
      var turn = 0
      while start < bytes.count {
        let end = min(bytes.count, start + sizes[turn % sizes.count])
        try body(UnsafeRawBufferPointer(rebasing: bytes[start..<end]))
        start = end
        turn += 1
      }
    }
  }
}

/// Checks the texts of the offers that a reader passes on, and hashes everything that it passes on
/// except the reasons for skipping and mending records.
final class FuzzSink: OfferSink {
  private(set) var failure: FuzzFailure?
  private(set) var count = 0
  private var state = ContentHash(seed: 9)

  var hash: UInt64 { state.value }

  func accept(_ offer: OfferRecord, position: Int) {
    add(1, position)
    if offer[.id]?.isEmpty != false || offer[.name]?.isEmpty != false {
      fail("an offer without id or name")
    }
    for field in OfferField.allCases {
      combine(offer[field])
      if offer[field]?.utf8.contains(0) == true { fail("\(field.name) holds a NUL") }
    }
    let texts = (offer[.name] ?? "") + (offer[.description] ?? "")
    if offer.isRewardFromText, offer[.reward]?.contains("\u{FFFD}") == true,
      !texts.contains("\u{FFFD}")
    {
      fail("a reward from the text ends within a character")
    }
  }

  func skip(id: String?, position: Int, reason: String) {
    add(2, position)
    combine(id)
  }

  func mend(position: Int, reason: String) { add(3, position) }

  private func combine(_ text: String?) {
    guard var text else { return state.combine(nil) }
    text.withUTF8 { state.combine(UnsafeRawBufferPointer($0)) }
  }

  private func add(_ kind: Int, _ position: Int) {
    count += 1
    withUnsafeBytes(of: kind &* 1_000_003 &+ position) { state.combine($0) }
  }

  private func fail(_ reason: String) {
    if failure == nil { failure = FuzzFailure(description: reason) }
  }
}
