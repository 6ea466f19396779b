import Foundation
import OffersCore
import OffersFeeds

/// Reads a feed from its source: one document, or one page after another.
struct FeedPages {
  let definition: FeedDefinition
  let source: SyncSource
  let template: SourceTemplate
  let options: SyncOptions
  let environment: SourceTemplate.Environment
  let fetching: FetchSettings
  /// The time of the sync. The price of a sale counts if the sale is on at this time.
  let now: Date

  /// The callbacks of the caller.
  struct Receiver {
    /// Called once, when there is a document to parse, before its first byte.
    let begin: () async throws -> Void
    /// Receives the offers.
    let sink: any OfferSink
    /// Called with each decompressed chunk, and with an empty one at the end of each page.
    ///
    /// `totalBytes` is the size of the page, nil if it is unknown or the page is compressed;
    /// `records` is the number of records read so far in all pages.
    let piece: (_ bytes: UnsafeRawBufferPointer, _ totalBytes: Int?, _ records: Int) -> Void
    /// Called before each page after the first, with the number of records in all pages before it.
    let nextPage: (_ records: Int) -> Void
  }

  /// The most bytes that a compressed file or standard input may decompress to.
  private static let fileLimitBytes = 64 << 30

  private var limitBytes: Int {
    if case .url = source { options.limits.bodyBytes } else { Self.fileLimitBytes }
  }

  /// The values of the environment variables in the source and in the definition's headers.
  var secrets: SecretRedactor {
    SecretRedactor(in: template, and: definition, environment)
  }

  /// Whether the feed can have more than one document.
  var hasPages: Bool { template.hasPage || definition.pages?.next != nil }

  /// Reads the pages, as far as their limit allows.
  ///
  /// - Returns: the facts of the first page; nil if the server answered a conditional request with 304.
  func read(into receiver: Receiver) async throws -> DocumentFacts? {
    let rule = definition.pages ?? PageRule()
    let first =
      template.hasPage
      ? rule.first.adding(clamped: min(max(1, options.firstPage), 1 << 31) - 1) : rule.first
    var number = first
    guard
      var page = try await readPage(at: pageSource(number), records: 0, isFirst: true, receiver)
    else { return nil }
    let facts = page.facts
    if let seconds = facts.freshSeconds {
      let log = fetching.log
      log.answer.freshSeconds = max(log.answer.freshSeconds ?? 0, seconds)
    }
    var records = page.records
    var visited: Set<String> = []
    while number - first + 1 < (options.pages ?? rule.limit), page.records > 0 {
      guard let next = try nextSource(behind: page, number: number, rule, &visited) else { break }
      number += 1
      receiver.nextPage(records)
      do {
        guard
          let read = try await readPage(at: next, records: records, isFirst: false, receiver)
        else { break }
        page = read
      } catch let error as OffersError where isEnd(error, page) {
        break
      }
      // The validators of one page do not cover the others.
      fetching.log.answer.vouches = false
      records += page.records
    }
    return facts
  }

  /// Passes the decompressed bytes of the first document to `handle` until it returns false.
  ///
  /// - Returns: the final URL of the document and the encoding that the server declared; nil where
  ///   there is none.
  func readBytes(
    _ handle: (UnsafeRawBufferPointer) throws -> Bool
  ) async throws -> (address: String?, charset: String?) {
    struct Enough: Error {}
    let unpacker = Decompressor(limitBytes: limitBytes)
    var head = DocumentMetadata()
    func take(_ bytes: UnsafeRawBufferPointer) throws {
      try Task.checkCancellation()
      if !(try handle(bytes)) { throw Enough() }
    }
    do {
      let first = try pageSource((definition.pages ?? PageRule()).first)
      _ = try await fetch(first, isFirst: true) {
        head = $0
        unpacker.isRawDeflate = $0.isDeflate
      } _: {
        try unpacker.consume($0, take)
      }
      try unpacker.finish(take)
    } catch is Enough {}
    return (head.address, head.charset)
  }

  /// Whether an error of reading a further page only means that the feed has ended: where pages are
  /// numbered and their number is unknown, the first missing page (404 or 410) ends the feed.
  ///
  /// - Parameter page: the page before the one with the error.
  private func isEnd(_ error: OffersError, _ page: Page) -> Bool {
    error.code == .notFound && page.facts.pageCount == nil && definition.pages?.next == nil
  }

  private struct Page {
    let facts: DocumentFacts
    let head: DocumentMetadata
    let records: Int
  }

  private func pageSource(_ number: Int) throws -> SyncSource {
    if case .url = source, let address = fetching.newAddress { return .url(address) }
    func filled() throws -> String { try template.filled(page: number, query: options.query) }
    return switch source {
    case .url: try SyncSource.url(filled()).validated()
    case .file: try SyncSource.file(filled()).validated()
    case .standardInput, .sample: source
    }
  }

  private func nextSource(
    behind page: Page, number: Int, _ rule: PageRule, _ visited: inout Set<String>
  ) throws -> SyncSource? {
    if let next = rule.next {
      let link: String? =
        switch next {
        case .linkHeader: page.head.nextLink
        case .path: page.facts.nextPage
        }
      guard let link, let base = page.head.address,
        let address = URL(printed: link, relativeTo: URL(printed: base))?.absoluteURL,
        visited.insert(address.absoluteString).inserted
      else { return nil }
      guard address.scheme == URL(printed: base)?.scheme || address.scheme == "https" else {
        throw OffersError(
          .sourceFailed, "The feed's next page is the unencrypted \(address.absoluteString).",
          hint: "Nothing was changed. Tell the feed's owner.")
      }
      return .url(address.absoluteString)
    }
    guard template.hasPage else { return nil }
    if let count = page.facts.pageCount, number >= count { return nil }
    return try pageSource(number + 1)
  }

  /// Reads one page.
  ///
  /// - Returns: nil if the server answered 304.
  private func readPage(
    at source: SyncSource, records: Int, isFirst: Bool, _ receiver: Receiver
  ) async throws -> Page? {
    let unpacker = Decompressor(limitBytes: limitBytes)
    var reader: FeedReader?
    var head = DocumentMetadata()
    var isAtStart = isFirst
    var totalBytes: Int? { unpacker.isCompressed ? nil : head.totalBytes }
    func take(_ bytes: UnsafeRawBufferPointer) throws {
      // A small piece may decompress to a large document.
      try Task.checkCancellation()
      // Matters only if the document cannot be read.
      if isAtStart, !bytes.isEmpty {
        isAtStart = false
        if FormatDetection.isWebPage(bytes) { fetching.log.answer.contact = .stranger }
      }
      receiver.piece(bytes, totalBytes, records + (reader?.itemCount ?? 0))
      try reader?.consume(bytes)
    }
    let isThere = try await fetch(source, isFirst: isFirst) { metadata in
      if isFirst { try await receiver.begin() }
      head = metadata
      unpacker.isRawDeflate = metadata.isDeflate
      reader = makeReader(metadata, receiver.sink)
    } _: { piece in
      try unpacker.consume(piece, take)
    }
    guard isThere, let reader else { return nil }
    try unpacker.finish(take)
    try reader.finish()
    receiver.piece(
      UnsafeRawBufferPointer(start: nil, count: 0), totalBytes, records + reader.itemCount)
    return Page(facts: reader.facts, head: head, records: reader.itemCount)
  }

  private func makeReader(_ head: DocumentMetadata, _ sink: any OfferSink) -> FeedReader {
    FeedReader(
      definition: definition, address: secrets.base(of: head.address), charset: head.charset,
      now: now, sink: sink)
  }

  /// Passes the bytes of a document to `handle` as they come, possibly compressed.
  ///
  /// - Parameter begin: called when there is a document, before its first byte. Unlike `handle` it may
  ///   wait, such as for the store.
  /// - Returns: false when the server answered 304.
  private func fetch(
    _ source: SyncSource, isFirst: Bool, _ begin: (DocumentMetadata) async throws -> Void,
    _ handle: PieceHandler
  ) async throws -> Bool {
    switch source {
    case .url(let url):
      let headers = try definition.headers.map { header in
        let value = SourceTemplate(
          header.value, ofHeader: header.name, environment: environment)
        return (header.name, try value.filled(page: 0, query: options.query))
      }
      let named = try template.filled(page: (definition.pages ?? PageRule()).first)
      return try await DocumentFetch(
        settings: fetching, namedOrigin: HTTPOrigin(named), headers: headers, isFirst: isFirst,
        explain: explain
      ).read(url: url, begin, handle)
    case .file(let path):
      try await FileDocument.read(path: path, begin, handle)
    case .standardInput:
      try await FileDocument.readStandardInput(begin, handle)
    case .sample:
      guard let sample = FeedCatalog.findSample(of: definition.name) else {
        throw OffersError(
          .notFound, "The feed \(definition.name) has no built-in sample.",
          hint: Hint(
            "Name a source.",
            command: "offers sync \(definition.name) --from URL-OR-FILE"))
      }
      try await begin(DocumentMetadata(totalBytes: sample.count))
      try sample.withUnsafeBytes(handle)
    }
    return true
  }

  /// The error message in the body of an error response, by the definition's `error:` rule; nil if
  /// there is none.
  private func explain(_ body: [UInt8]) -> String? {
    guard !definition.error.isEmpty else { return nil }
    let reader = FeedReader(definition: definition, sink: IgnoringSink())
    // The body of an error response may be any document, such as a web page. If it cannot be
    // parsed, there is no message.
    try? body.withUnsafeBytes { try reader.consume($0) }
    try? reader.finish()
    return reader.facts.error
  }

  private final class IgnoringSink: OfferSink {
    func accept(_ offer: OfferRecord, position: Int) {}
    func skip(id: String?, position: Int, reason: String) {}
    func mend(position: Int, reason: String) {}
  }
}
