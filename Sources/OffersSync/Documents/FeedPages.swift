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
  /// The time of the sync, at which sales count or not.
  let now: Date

  /// The callbacks of the caller, and the gate that the documents pass.
  struct Receiver {
    /// Called once, before the first byte is parsed.
    let begin: () async throws -> Void
    /// Receives the offers.
    let sink: any OfferSink
    /// The gate between the decompressor and the reader.
    let gate: UnchangedDocumentFilter
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
  /// - Returns: the facts of the first page; nil if it is the stored document, which is not parsed:
  ///   the server answered a conditional request with 304, or the gate found it identical.
  func read(into receiver: Receiver) async throws -> DocumentFacts? {
    let rule = definition.pages ?? PageRule()
    let first =
      template.hasPage
      ? rule.first.adding(clamped: min(max(1, options.firstPage), 1 << 31) - 1) : rule.first
    var number = first
    guard
      var page = try await readPage(
        at: pageSource(number), page: number, records: 0, isFirst: true, receiver)
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
          let read = try await readPage(
            at: next, page: number, records: records, isFirst: false, receiver)
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
    var last = DocumentMetadata()
    func take(_ bytes: UnsafeRawBufferPointer) throws {
      try Task.checkCancellation()
      if !(try handle(bytes)) { throw Enough() }
    }
    do {
      let first = try pageSource((definition.pages ?? PageRule()).first)
      func keep(_ piece: UnsafeRawBufferPointer, _ head: DocumentMetadata) throws {
        last = head
        unpacker.isRawDeflate = head.isDeflate
        try unpacker.consume(piece, take)
      }
      _ = try await fetch(first, isFirst: true, between: {}, keep)
      try unpacker.finish(take)
    } catch is Enough {}
    return (last.address, last.charset)
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
  /// - Returns: nil if it is the stored document, which is not parsed.
  private func readPage(
    at source: SyncSource, page: Int, records: Int, isFirst: Bool, _ receiver: Receiver
  ) async throws -> Page? {
    let unpacker = Decompressor(limitBytes: limitBytes)
    var reader: FeedReader?
    var last = DocumentMetadata()
    var hasBegun = false
    let gate = receiver.gate
    func feed(_ bytes: UnsafeRawBufferPointer) throws { try reader?.consume(bytes) }
    func take(_ bytes: UnsafeRawBufferPointer) throws {
      // A small piece may decompress to a large document.
      try Task.checkCancellation()
      let total = unpacker.isCompressed ? nil : last.totalBytes
      // Matters only if the document cannot be read.
      if isFirst, !bytes.isEmpty, !hasBegun {
        hasBegun = true
        if FormatDetection.isWebPage(bytes) { fetching.log.answer.contact = .stranger }
      }
      receiver.piece(bytes, total, records + (reader?.itemCount ?? 0))
      try gate.consume(bytes, feed)
    }
    func begin() async throws {
      guard reader == nil else { return }
      if isFirst { try await receiver.begin() }
      reader = makeReader(last, receiver.sink)
      if gate.isWaiting { try gate.open(feed) }
    }
    let isThere = try await fetch(source, isFirst: isFirst) {
      // The reader is created only when the gate waits to be opened. While the gate spools, the
      // document may turn out to be the stored one, which is not parsed.
      if gate.isWaiting { try await begin() }
    } _: { piece, head in
      last = head
      unpacker.isRawDeflate = head.isDeflate
      try unpacker.consume(piece, take)
    }
    guard isThere else { return nil }
    try unpacker.finish(take)
    if gate.isStored() { return nil }
    try await begin()
    try gate.release(feed)
    guard let done = reader else { return nil }
    try done.finish()
    receiver.piece(
      UnsafeRawBufferPointer(start: nil, count: 0), unpacker.isCompressed ? nil : last.totalBytes,
      records + done.itemCount)
    return Page(facts: done.facts, head: last, records: done.itemCount)
  }

  private func makeReader(_ head: DocumentMetadata, _ sink: any OfferSink) -> FeedReader {
    FeedReader(
      definition: definition, address: secrets.base(of: head.address), charset: head.charset,
      now: now, sink: sink)
  }

  /// Passes the bytes of a document to `handle` as they come, possibly compressed.
  ///
  /// - Parameter between: called after each chunk of a server's document, but once before the
  ///   first chunk of any other document. Unlike `handle` it may wait, such as for the store.
  /// - Returns: false when the server answered 304.
  private func fetch(
    _ source: SyncSource, isFirst: Bool, between: () async throws -> Void,
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
      ).read(url: url, between: between, handle)
    case .file(let path):
      try await between()
      try await FileDocument.read(path: path, handle)
    case .standardInput:
      try await between()
      try await FileDocument.readStandardInput(handle)
    case .sample:
      guard let sample = FeedCatalog.findSample(of: definition.name) else {
        throw OffersError(
          .notFound, "The feed \(definition.name) has no built-in sample.",
          hint: Hint(
            "Name a source.",
            command: "offers sync \(definition.name) --from URL-OR-FILE"))
      }
      try await between()
      try sample.withUnsafeBytes { try handle($0, DocumentMetadata(totalBytes: $0.count)) }
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
