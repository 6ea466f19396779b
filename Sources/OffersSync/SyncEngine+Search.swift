import OffersCore
import OffersFeeds

extension SyncEngine {
  /// Lets the server of a feed search, and keeps what it finds beside the feed's other offers.
  ///
  /// - Parameters:
  ///   - feed: one whose definition has a `search:` address.
  ///   - words: as a person types them.
  ///   - page: which page, from 1; nil for all pages within the definition's limit.
  ///   - options: their query and pages are those given here.
  /// - Throws: as `sync`; `invalidRequest` for a feed whose server cannot be searched.
  public func search(
    _ feed: String, for words: String, page: Int? = 1, options: SyncOptions = SyncOptions(),
    progress: @escaping @Sendable (SyncProgress) -> Void = { _ in }
  ) async throws -> ServerSearch {
    guard (page ?? 1) > 0 else {
      throw OffersError(.invalidRequest, "Pages are counted from 1.")
    }
    // A server that gives each page's address only on the page before is asked for all up to it.
    let hasNumbers = try configuration.fetch(feed).search?.hasPage == true
    var options = options
    options.query = words
    options.firstPage = hasNumbers ? page ?? 1 : 1
    options.pages = page.map { hasNumbers ? 1 : $0 }
    let result = try await withTransport(options.limits) { [options] in
      try await attempt(feed, options, isTrial: false, over: $0, progress)
    }
    let pages = result.foundPages
    // Of a page that is not there, the last one before came.
    let isThere = hasNumbers || page == nil || pages.count == page
    let found = page == nil ? pages.flatMap(\.self) : isThere ? pages.last ?? [] : []
    var seen: Set<String> = []
    return ServerSearch(
      run: result.run,
      offers: found.filter { seen.insert($0).inserted }.map { OfferRef(feed: feed, id: $0) },
      lastPage: page ?? max(1, pages.count), pageCount: result.pageCount)
  }
}
