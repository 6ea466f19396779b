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

  private var rule: PageRule { definition.pages ?? PageRule() }

  /// Whether pages are counted, by their number or by the records before them.
  private var isCounted: Bool { template.hasPage || template.hasOffset }

  /// Whether a further page can be requested. A file has no address from which that of the next page
  /// counts.
  private var isFollowed: Bool {
    if isCounted { return true }
    guard rule.next != nil else { return false }
    if case .url = source { return true }
    return template.hasNext
  }

  /// Whether the feed can have more than one document.
  var hasPages: Bool { isCounted || rule.next != nil }

  /// The pages that were read.
  struct Reading {
    /// The facts of the first page.
    let facts: DocumentFacts
    /// The number of pages with offers that no earlier one has; 1 at least.
    fileprivate(set) var pageCount = 1
    /// Whether the last page has offers, and none that is new: the server repeats pages.
    fileprivate(set) var isRepeating = false
    /// Whether the feed has more offers, which are not read.
    fileprivate(set) var isPartial = false
    /// Whether an offer may be on a page that was read although it was not seen, because the pages
    /// changed meanwhile, or do not have as many offers as they state.
    var isDoubtful = false
  }

  /// Reads the pages, as far as their limit allows.
  ///
  /// - Returns: nil if the server answered a conditional request with 304.
  func read(into receiver: Receiver) async throws -> Reading? {
    let sink = PageSink(receiver.sink)
    var place = PagePlace(number: rule.firstPage, offset: rule.first ?? 0)
    if template.hasPage {
      place.number = place.number.adding(clamped: min(max(1, options.firstPage), 1 << 31) - 1)
    }
    let start = try pageSource(place)
    guard var page = try await readPage(at: start, records: 0, isFirst: true, sink, receiver)
    else { return nil }
    var reading = Reading(facts: page.facts)
    if let seconds = page.facts.freshSeconds {
      let log = fetching.log
      log.answer.freshSeconds = max(log.answer.freshSeconds ?? 0, seconds)
    }
    let stated = page.statement
    var records = page.records
    var readCount = 1
    var visited: Set<String> = []
    for address in [start.text, page.head.address].compactMap(\.self) { visited.insert(address) }
    while let next = try nextSource(behind: page, &place, records, sink) {
      guard readCount < options.pages ?? rule.pageLimit else {
        reading.isPartial =
          options.pages == nil && rule.limit == nil && !definition.isSelection
        if reading.isPartial {
          note(
            "Only the first \(readCount) pages were read: write limit: below pages: to read more.",
            sink)
        }
        return reading
      }
      // Validators of one page do not cover the others.
      fetching.log.answer.vouches = false
      guard visited.insert(next.text).inserted else {
        reading.isRepeating = true
        break
      }
      receiver.nextPage(records)
      do {
        guard
          let read = try await readPage(at: next, records: records, isFirst: false, sink, receiver)
        else { break }
        page = read
      } catch let error as OffersError where isEnd(error, page) {
        break
      }
      readCount += 1
      records += page.records
      if page.newCount > 0 { reading.pageCount += 1 }
      // The first page may be the only one that states the numbers.
      page.statement.count = page.statement.count ?? stated.count
      page.statement.total = page.statement.total ?? stated.total
      if page.statement.count != stated.count || page.statement.total != stated.total {
        reading.isDoubtful = true
      }
      if page.newCount == 0, page.records > 0 {
        reading.isRepeating = true
        break
      }
    }
    if rule.dependsOnHeaders { fetching.log.answer.vouches = false }
    complete(&reading, page, place, sink)
    return reading
  }

  /// Decides whether pages that have ended are all that the feed states.
  private func complete(
    _ reading: inout Reading, _ page: Page, _ place: PagePlace, _ sink: PageSink
  ) {
    // A selection never has all offers, and somebody said so.
    if options.query != nil || definition.isSelection { return }
    let statement = page.statement
    let lacks = statement.count.map { $0 > sink.seenCount }
    let read = Units.count(sink.seenCount, "offer")
    if !isFollowed {
      reading.isPartial = statement.hasMore ?? lacks ?? (statement.next != nil)
      if reading.isPartial {
        let all =
          statement.count.map { "has \(Units.count($0, "offer"))" } ?? "says that more follow"
        note(
          "The feed \(all), and \(read) of it were read: say how to get the others in pages:.", sink
        )
      }
    } else if lacks == true {
      reading.isDoubtful = true
      note(
        "The feed states \(Units.count(statement.count ?? 0, "offer")), and its pages have \(read).",
        sink)
    } else if lacks == nil, reading.isRepeating && rule.next != nil || statement.hasMore == true {
      reading.isDoubtful = true
      note(
        "The pages end with page \(reading.pageCount), though it says that another one follows"
          + (reading.isRepeating ? ": that is an earlier one." : "."), sink)
    } else if let total = statement.total, template.hasPage, lacks == nil, place.number < total {
      reading.isDoubtful = true
    }
  }

  private func note(_ sentence: String, _ sink: PageSink) {
    sink.mend(position: 0, reason: sentence)
  }

  /// Passes the decompressed bytes of the first document to `handle` until it returns false.
  ///
  /// - Returns: the facts about the document that were known before its first byte.
  func readBytes(
    _ handle: (UnsafeRawBufferPointer, _ charset: String?) throws -> Bool
  ) async throws -> DocumentMetadata {
    struct Enough: Error {}
    let unpacker = Decompressor(limitBytes: limitBytes)
    var head = DocumentMetadata()
    func take(_ bytes: UnsafeRawBufferPointer) throws {
      try Task.checkCancellation()
      if !(try handle(bytes, head.charset)) { throw Enough() }
    }
    do {
      let first = try pageSource(PagePlace(number: rule.firstPage, offset: rule.first ?? 0))
      _ = try await fetch(first, isFirst: true) {
        head = $0
        unpacker.isRawDeflate = $0.isDeflate
      } _: {
        try unpacker.consume($0, take)
      }
      try unpacker.finish(take)
    } catch is Enough {}
    return head
  }

  /// Whether an error of reading a further page only means that the feed has ended: where pages are
  /// counted and their number is unknown, the first missing page (404 or 410) ends the feed. WordPress answers
  /// 400 with the code `rest_post_invalid_page_number`, also when a page has vanished meanwhile.
  ///
  /// - Parameter page: the page before the one with the error.
  private func isEnd(_ error: OffersError, _ page: Page) -> Bool {
    guard isCounted, rule.next == nil else { return false }
    let statement = page.statement
    let isStated = statement.total != nil || statement.count != nil || statement.hasMore == true
    return error.code == .notFound && !isStated || fetching.log.answer.isBehindLastPage
  }

  /// The place of a page in the feed, by which the source names it.
  private struct PagePlace {
    var number: Int
    /// The number of records on the pages before it.
    var offset: Int
    /// The value by which the page before names it.
    var next: String?
  }

  private struct Page {
    let facts: DocumentFacts
    let head: DocumentMetadata
    let records: Int
    /// The number of offers that no earlier page has.
    let newCount: Int
    var statement: Statement
  }

  /// What a page states about the others.
  private struct Statement {
    var next: String?
    var hasMore: Bool?
    var total: Int?
    var count: Int?

    init(_ rule: PageRule, _ facts: DocumentFacts, _ head: DocumentMetadata, lastID: String?) {
      func field(_ place: PageRule.Place?) -> String? {
        guard case .header(let name)? = place else { return nil }
        return head.fields.first(name: name).flatMap { $0.isEmpty ? nil : $0 }
      }
      next =
        switch rule.next {
        case .linkHeader: head.nextLink
        case .lastID: lastID
        default: facts.nextPage ?? field(rule.next)
        }
      hasMore = facts.hasMore ?? field(rule.more).map(PageRule.saysMore)
      total = facts.pageCount ?? field(rule.total).flatMap { Int($0) }
      count = facts.offerCount ?? field(rule.count).flatMap { Int($0) }
    }
  }

  private func pageSource(_ place: PagePlace) throws -> SyncSource {
    if case .url = source, let address = fetching.newAddress { return .url(address) }
    func filled() throws -> String {
      try template.filled(
        page: place.number, offset: place.offset, next: place.next, query: options.query)
    }
    return switch source {
    case .url: try SyncSource.url(filled()).validated()
    case .file: try SyncSource.file(filled()).validated()
    case .standardInput, .sample: source
    }
  }

  /// The source of the page behind another one; nil if the feed ends there.
  private func nextSource(
    behind page: Page, _ place: inout PagePlace, _ records: Int, _ sink: PageSink
  ) throws -> SyncSource? {
    let statement = page.statement
    if statement.hasMore == false { return nil }
    guard isFollowed else { return nil }
    if rule.next != nil {
      guard let next = statement.next, !next.isEmpty else { return nil }
      place.number = place.number.adding(clamped: 1)
      guard template.hasNext else { return .url(try address(next, on: page)) }
      place.next = next
      return try pageSource(place)
    }
    guard page.records > 0 else { return nil }
    if template.hasPage, let total = statement.total, place.number >= total { return nil }
    if let count = statement.count, sink.seenCount >= count { return nil }
    place.number = place.number.adding(clamped: 1)
    place.offset = (rule.first ?? 0).adding(clamped: records)
    return try pageSource(place)
  }

  /// The address of the next page, which a page prints.
  ///
  /// - Throws: `OffersError` with `sourceFailed` for an address on another host, unless the definition
  ///   allows that, and for one that is not encrypted although the page is.
  private func address(_ link: String, on page: Page) throws -> String {
    guard let base = page.head.address,
      let url = URL(printed: link, relativeTo: URL(printed: base))?.absoluteURL
    else {
      throw OffersError(
        .sourceFailed, "“\(link.prefix(200))” is no address of the feed's next page.",
        hint: "Nothing was changed. Check next: in the definition.")
    }
    let target = url.absoluteString
    let hosts = try [base, template.filled(page: rule.firstPage)].map { HTTPOrigin($0)?.host }
    guard url.scheme == URL(printed: base)?.scheme || url.scheme == "https" else {
      throw OffersError(
        .sourceFailed, "The feed's next page is the unencrypted \(target).",
        hint: "Nothing was changed. Tell the feed's owner.")
    }
    guard rule.allowsOtherHosts || hosts.contains(HTTPOrigin(url).host) else {
      throw OffersError(
        .sourceFailed, "The feed's next page is on another host: \(target).",
        hint:
          "Nothing was changed. If that is right, write other-hosts: true below pages: in the definition."
      )
    }
    return target
  }

  /// Reads one page.
  ///
  /// - Returns: nil if the server answered 304.
  private func readPage(
    at source: SyncSource, records: Int, isFirst: Bool, _ sink: PageSink, _ receiver: Receiver
  ) async throws -> Page? {
    let seenCount = sink.seenCount
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
      reader = makeReader(metadata, sink)
    } _: { piece in
      try unpacker.consume(piece, take)
    }
    guard isThere, let reader else { return nil }
    try unpacker.finish(take)
    try reader.finish()
    receiver.piece(
      UnsafeRawBufferPointer(start: nil, count: 0), totalBytes, records + reader.itemCount)
    let facts = reader.facts
    return Page(
      facts: facts, head: head, records: reader.itemCount, newCount: sink.seenCount - seenCount,
      statement: Statement(rule, facts, head, lastID: sink.lastID))
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
        let text = try value.filled(page: 0, query: options.query)
        return (header.name, BasicCredentials.encoded(text) ?? text)
      }
      let named = try template.filled(page: rule.firstPage)
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

  /// Passes the records of all pages on, and tells which pages repeat others.
  private final class PageSink: OfferSink {
    private let sink: any OfferSink
    /// The hashes of the ids so far, which take less memory than the ids themselves.
    private var ids: Set<UInt64> = []
    private var namelessCount = 0
    private(set) var lastID: String?

    init(_ sink: any OfferSink) { self.sink = sink }

    /// The number of different records so far.
    var seenCount: Int { ids.count + namelessCount }

    func accept(_ offer: OfferRecord, position: Int) throws {
      if let id = offer[.id] { see(id) }
      try sink.accept(offer, position: position)
    }

    func skip(id: String?, position: Int, reason: String) {
      if let id { see(id) } else { namelessCount += 1 }
      sink.skip(id: id, position: position, reason: reason)
    }

    func mend(position: Int, reason: String) { sink.mend(position: position, reason: reason) }

    private func see(_ id: String) {
      var (hash, text) = (ContentHash(seed: 3), id)
      text.withUTF8 { hash.combine(UnsafeRawBufferPointer($0)) }
      ids.insert(hash.value)
      lastID = id
    }
  }

  private final class IgnoringSink: OfferSink {
    func accept(_ offer: OfferRecord, position: Int) {}
    func skip(id: String?, position: Int, reason: String) {}
    func mend(position: Int, reason: String) {}
  }
}
