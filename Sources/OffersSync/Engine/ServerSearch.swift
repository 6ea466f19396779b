import OffersCore
import OffersFeeds

extension SyncEngine {
  /// Searches on a feed's server, and stores the offers found beside the feed's own: they are found
  /// again by a search of the stored offers, but are in no list of offers and among no changes until
  /// the feed has them or a user stars them.
  ///
  /// - Parameters:
  ///   - feed: a feed whose definition has a `search:` address.
  ///   - words: the words as a user types them.
  ///   - page: the number of the page, from 1; nil for all pages within the definition's limit.
  ///   - limit: the number of offers on a page, at most that of as many of the server's own pages as
  ///     the definition allows; nil for the server's own pages. Ignored without a page.
  ///   - options: the options of the sync. Their `query`, `firstPage` and `pages` are replaced.
  ///   - progress: called from time to time while reading.
  /// - Throws: as `sync`, and `invalidRequest` for a page or a limit below 1 and for a feed whose
  ///   server cannot be searched.
  public func search(
    _ feed: String, for words: String, page: Int? = 1, limit: Int? = nil,
    options: SyncOptions = SyncOptions(),
    progress: @escaping @Sendable (SyncProgress) -> Void = { _ in }
  ) async throws(OffersError) -> ServerSearchResults {
    guard page ?? 1 > 0, limit ?? 1 > 0 else {
      throw OffersError(.invalidRequest, "Pages are counted from 1, and have at least one offer.")
    }
    var options = options
    options.query = words
    return try await OffersError.translating { [options] in
      let search = PagedServerSearch(
        engine: self, definition: try configuration.fetch(feed), options, progress)
      if let page, let limit { return try await search.find(page: page, of: limit) }
      return try await search.find(page: page)
    }
  }
}

/// A search on a feed's server, page by page.
private struct PagedServerSearch {
  let engine: SyncEngine
  let definition: FeedDefinition
  let options: SyncOptions
  let progress: @Sendable (SyncProgress) -> Void
  /// Whether a page is fetched by its number. Otherwise the address of a page is in the page before
  /// it, so all pages up to the requested one are fetched.
  let hasNumbers: Bool

  init(
    engine: SyncEngine, definition: FeedDefinition, _ options: SyncOptions,
    _ progress: @escaping @Sendable (SyncProgress) -> Void
  ) {
    self.engine = engine
    self.definition = definition
    self.options = options
    self.progress = progress
    hasNumbers = definition.search?.hasPage == true
  }

  /// Some of the server's pages.
  private struct Pulled {
    let run: SyncRun
    /// The ids of the offers by the number of their page.
    let pages: [Int: [String]]
    let pageCount: Int?
  }

  /// Fetches the server's pages with the given numbers, as far as they exist; nil for all.
  private func pull(_ numbers: ClosedRange<Int>?) async throws -> Pulled {
    var options = options
    let first = hasNumbers ? numbers?.lowerBound ?? 1 : 1
    options.firstPage = first
    options.pages = numbers.map { $0.upperBound - first + 1 }
    let result = try await engine.withTransport { [options] in
      try await engine.attempt(definition.name, options, isTrial: false, over: $0, progress)
    }
    await engine.clearAway()
    return Pulled(
      run: try result.run.orThrow(),
      pages: Dictionary(
        result.foundPages.enumerated().map { ($0 + first, $1) }, uniquingKeysWith: { $1 }),
      pageCount: result.pageCount)
  }

  private func search(
    _ ids: [String], in pulled: Pulled, lastPage: Int, hasMore: Bool? = nil
  ) -> ServerSearchResults {
    var seen: Set<String> = []
    return ServerSearchResults(
      run: pulled.run,
      offers: ids.filter { seen.insert($0).inserted }.map {
        OfferRef(feed: definition.name, offerID: $0)
      }, lastPage: lastPage, pageCount: pulled.pageCount, hasMore: hasMore)
  }

  /// One of the server's own pages; nil for all.
  func find(page: Int?) async throws -> ServerSearchResults {
    let pulled = try await pull(page.map { $0...$0 })
    let ids =
      page.map { pulled.pages[$0] ?? [] }
      ?? pulled.pages.sorted { $0.key < $1.key }.flatMap(\.value)
    return search(ids, in: pulled, lastPage: page ?? max(1, pulled.pages.count))
  }

  /// A page of a number of offers: a part of one of the server's pages, or of several. The first one
  /// shows how many records the server's pages have; all but the last are taken to have as many.
  func find(page: Int, of limit: Int) async throws -> ServerSearchResults {
    let first = try await pull(1...1)
    let size = max(1, (first.pages[1] ?? []).count + first.run.counts.skipped)
    let most = min(limit, (definition.pages ?? PageRule()).pageLimit.multiplied(clamped: size))
    let start = (page - 1).multiplied(clamped: most)
    let end = start.adding(clamped: most)
    let begin = (start / size).adding(clamped: 1)
    let wanted = begin...max(begin, (end - 1) / size + 1)
    let isEmpty = first.pages[1]?.isEmpty != false
    let last = isEmpty ? 1 : min(wanted.upperBound, first.pageCount ?? .max)
    var pulled = first
    if last > 1, last >= wanted.lowerBound {
      pulled = try await pull(max(2, wanted.lowerBound)...last)
    }
    let pages = pulled.pages.merging(first.pages) { $1 }
    var ids: [String] = []
    for (number, page) in pages.sorted(by: { $0.key < $1.key }) where wanted.contains(number) {
      let before = (number - 1) * size
      ids += page.prefix(max(0, end - before)).dropFirst(max(0, start - before))
    }
    let rest = (pages[last] ?? []).count - (end - (last - 1).multiplied(clamped: size))
    let hasMore = rest > 0 || last < first.pageCount ?? 0
    return search(ids, in: pulled, lastPage: page, hasMore: hasMore)
  }
}
