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
  ///   - options: the options of the sync. Their `query`, `firstPage` and `pages` are replaced.
  ///   - progress: called from time to time while reading.
  /// - Throws: as `sync`, and `invalidRequest` for a page below 1 and for a feed whose server
  ///   cannot be searched.
  public func search(
    _ feed: String, for words: String, page: Int? = 1, options: SyncOptions = SyncOptions(),
    progress: @escaping @Sendable (SyncProgress) -> Void = { _ in }
  ) async throws -> ServerSearch {
    guard (page ?? 1) > 0 else {
      throw OffersError(.invalidRequest, "Pages are counted from 1.")
    }
    // Without numbered pages, the address of a page is in the page before it, so all pages up to
    // the requested one are fetched.
    let hasNumbers = try configuration.fetch(feed).search?.hasPage == true
    var options = options
    options.query = words
    options.firstPage = hasNumbers ? page ?? 1 : 1
    options.pages = page.map { hasNumbers ? 1 : $0 }
    let result = try await withTransport { [options] in
      try await attempt(feed, options, isTrial: false, over: $0, progress)
    }
    await clearAway()
    let run = try result.run.orThrow()
    let pages = result.foundPages
    // When the requested page does not exist, the last of the fetched pages is an earlier one.
    let isThere = hasNumbers || page == nil || pages.count == page
    let found = page == nil ? pages.flatMap(\.self) : isThere ? pages.last ?? [] : []
    var seen: Set<String> = []
    return ServerSearch(
      run: run,
      offers: found.filter { seen.insert($0).inserted }.map { OfferRef(feed: feed, offerID: $0) },
      lastPage: page ?? max(1, pages.count), pageCount: result.pageCount)
  }
}
