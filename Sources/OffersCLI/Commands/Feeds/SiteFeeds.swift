import Foundation
import OffersCore
import OffersFeeds
import OffersSync

/// The search for the feed of a site: what its page links to, then the usual places.
///
/// Each address goes through the transport of the syncs. One on another server than the source's own was not named
/// by the user: it must be on the public internet unless the options allow more, and it receives no headers.
struct SiteFeeds: Sendable {
  let request: FeedGuess.Request
  let engine: @Sendable () async throws -> SyncEngine

  /// A feed that a page offers: one that it links to, or the products that it describes itself.
  enum Candidate: Sendable {
    case link(FeedLink)
    case page(DefinitionGuess.Proposal)

    /// The title and the address, for people.
    var text: String {
      switch self {
      case .link(let link): link.title.isEmpty ? link.address : "\(link.title): \(link.address)"
      case .page(let proposal): "\(Units.count(proposal.itemCount, "product")) on the page itself"
      }
    }
  }

  enum Found: Sendable {
    case feed(DefinitionGuess.Proposal)
    case several(page: String, [Candidate])

    /// The only feed.
    func proposal() throws -> DefinitionGuess.Proposal {
      switch self {
      case .feed(let proposal): return proposal
      case .several(let page, _): throw SiteFeeds.noFeed(page)
      }
    }

    /// The error if nobody chose among several feeds. It lists them.
    func refusal(_ request: FeedGuess.Request) -> OffersError {
      guard case .several(let page, let candidates) = self else { return SiteFeeds.noFeed("") }
      let links = candidates.compactMap { if case .link(let link) = $0 { link } else { nil } }
      let texts = candidates.prefix(listedCount).map(\.text)
      let rest = candidates.count - texts.count
      return OffersError(
        .invalidRequest,
        "\(page) has \(candidates.count) feeds: \(texts.joined(separator: "; "))"
          + (rest > 0 ? "; and \(rest) more." : "."),
        hint: request.isPublicOnly
          ? "Nothing was changed. Take the address of one of them."
          : Hint(
            "Nothing was changed. Name one of them.",
            command: "offers feeds add \(request.name) \(links.first?.address ?? "ADDRESS")"))
    }
  }

  /// The places at which sites often have a feed, relative to the page or its site.
  private static let usualPlaces = [
    "feed", "rss.xml", "atom.xml", "feed.xml", "index.xml", "feed.json", "rss", "products.json",
  ]
  /// The number of places at which a server may refuse, or give no answer, until it is not asked on.
  private static let refusalLimit = 2
  /// The largest number of feeds that a message lists.
  private static let listedCount = 10
  /// The limits of a look at one of the usual places, in seconds.
  private static let placeSeconds = (idle: Int64(10), total: 20.0)

  /// A look at the beginning of a document.
  private struct Look {
    let start: ReadStart
    let guess: DefinitionGuess
    let request: FeedGuess.Request

    func proposal() throws -> DefinitionGuess.Proposal {
      var proposal = try guess.finish(from: start.origin)
      if request.source != SyncSource.standardInput.text {
        proposal.definition.source = start.source
      }
      proposal.definition.isPublicOnly = request.isPublicOnly
      proposal.definition.headers = request.headers
      return proposal
    }
  }

  private func look(at sources: [Template], _ request: FeedGuess.Request) async throws -> Look {
    let isOnWeb = sources.allSatisfy { $0.description.contains("://") }
    let guess = DefinitionGuess(
      name: request.name, items: request.items, missing: request.missing, isOnWeb: isOnWeb,
      format: request.format)
    let start = try await engine().readStart(
      of: sources, isPublicOnly: request.isPublicOnly, headers: request.headers,
      options: request.options
    ) {
      try guess.consume($0, charset: $1)
      return !guess.hasEnough
    }
    return Look(start: start, guess: guess, request: request)
  }

  /// Finds the feeds at a source.
  ///
  /// - Parameter canAsk: whether a person can choose among several. Otherwise a page that describes one product is
  ///   the feed, and of a page that lists products the linked feed is.
  func find(at sources: [Template], canAsk: Bool) async throws -> Found {
    let look = try await look(at: sources, request)
    guard let page = look.start.address,
      let links = try look.guess.feedLinks(
        of: page, charset: look.start.charset, header: look.start.links)
    else { return .feed(try look.proposal()) }
    let shown = AddressRedaction.hidden(in: look.start.source.description)
    let own = try ownFeed(look)
    if let own, links.feeds.isEmpty || own.itemCount == 1 && !canAsk { return .feed(own) }
    var candidates = links.feeds.map(Candidate.link)
    if canAsk, let own { candidates.append(.page(own)) }
    if candidates.count > 1 { return .several(page: shown, candidates) }
    var failure = Self.noFeed(shown)
    if let only = candidates.first {
      do {
        return .feed(try await read(only, of: shown))
      } catch let error as OffersError where Self.isUnreadable(error) {
        failure = error
      }
    }
    if let found = try await tryPlaces(of: page, links.anchors) { return .feed(found) }
    throw failure
  }

  /// The proposal for what a page describes itself; nil if it describes nothing that can be read.
  private func ownFeed(_ look: Look) throws -> DefinitionGuess.Proposal? {
    do {
      return try look.proposal()
    } catch let error as OffersError
      where [.malformedFeed, .unexpectedShape, .invalidRequest].contains(error.code)
    {
      return nil
    }
  }

  /// Reads a feed of a page, and proposes its definition.
  ///
  /// - Parameter page: the page as it is shown.
  func read(_ candidate: Candidate, of page: String) async throws -> DefinitionGuess.Proposal {
    guard case .link(let link) = candidate else {
      if case .page(let proposal) = candidate { return proposal }
      throw Self.noFeed(page)
    }
    do {
      return try await look(at: [Template([.literal(link.address)])], reaching(link.address))
        .proposal()
    } catch let error as OffersError where Self.isUnreadable(error) {
      throw OffersError(
        error.code, "\(page) links to \(link.address), which cannot be read: \(error.message)",
        hint: error.hint, cause: error.cause)
    }
  }

  /// Whether an error means that a document is none of a feed, or not there.
  private static func isUnreadable(_ error: OffersError) -> Bool {
    [.malformedFeed, .notFound].contains(error.code)
  }

  /// The request for a discovered address.
  ///
  /// - Throws: `OffersError` with `invalidRequest` if the headers are for another server.
  private func reaching(_ address: String) throws -> FeedGuess.Request {
    var reaching = request
    let isOwn = try request.sources.contains { Self.isOneSite($0.description, address) }
    if isOwn { return reaching }
    guard request.headers.isEmpty else {
      throw OffersError(
        .invalidRequest,
        "The feed \(address) is on another server, which would receive the headers.",
        hint: "Nothing was changed. If that is right, add the feed by this address.")
    }
    reaching.isPublicOnly = request.isPublicOnly || !request.options.allowsPrivateNetwork
    return reaching
  }

  /// Whether two addresses are on one site: on one host, with or without `www.`, and one port, or each on the
  /// usual port of its scheme.
  private static func isOneSite(_ first: String, _ second: String) -> Bool {
    guard let first = HTTPAddress(first), let second = HTTPAddress(second) else { return false }
    func name(_ host: String) -> String {
      host.hasPrefix("www.") ? String(host.dropFirst(4)) : host
    }
    func port(_ origin: HTTPOrigin) -> Int? { [80, 443].contains(origin.port) ? nil : origin.port }
    return name(first.host) == name(second.host)
      && port(HTTPOrigin(first.url)) == port(HTTPOrigin(second.url))
  }

  /// Tries the ordinary links of a page that look like feeds, then the usual places, one after another.
  ///
  /// - Returns: the proposal for the first document of a known kind; nil if there is none.
  private func tryPlaces(
    of page: String, _ anchors: [String]
  ) async throws -> DefinitionGuess.Proposal? {
    var places: [String] = []
    for base in [".", "/"] {
      let folder = URL(string: base, relativeTo: URL(string: page))?.absoluteURL
      places += Self.usualPlaces.prefix(base == "." ? 4 : .max).compactMap {
        URL(string: $0, relativeTo: folder)?.absoluteString
      }
    }
    var tried: Set<String> = []
    var refusalCount = 0
    for place in anchors + places where tried.insert(place).inserted {
      guard refusalCount < Self.refusalLimit else { return nil }
      guard !place.contains("{"), var reaching = try? reaching(place) else { continue }
      reaching.options.limits.idleSeconds = Self.placeSeconds.idle
      reaching.options.limits.totalSeconds = Self.placeSeconds.total
      do {
        let proposal = try await look(at: [Template([.literal(place)])], reaching).proposal()
        if proposal.kind != nil, proposal.definition.format != .jsonLD { return proposal }
      } catch let error as OffersError {
        let expected: [OffersError.Code] = [
          .notFound, .malformedFeed, .unexpectedShape, .invalidRequest,
        ]
        if !expected.contains(error.code) { refusalCount += 1 }
      }
    }
    return nil
  }

  fileprivate static func noFeed(_ page: String) -> OffersError {
    OffersError(
      .malformedFeed,
      "The document is a web page, not a feed: \(page) links to no feed, has none at the usual places, "
        + "and describes no products.",
      hint:
        "Nothing was changed. Look on the site for a link named RSS or feed, and add its address.")
  }
}
