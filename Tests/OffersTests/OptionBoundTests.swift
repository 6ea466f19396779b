import Foundation
import Offers
import OffersTestSupport
import Testing

/// The extreme values of every number and time among the public options. `Mirror` finds the options, so that
/// a new one fails the test until it is tried here.
@Suite("Extreme values of options")
struct OptionBoundTests {
  private static let yaml = """
    feeds:
      teas: {source: "https://tea.example/{page}.json", id: id, fields: {name: name}}
    """
  private static let doubles: [Double] = [
    .infinity, -.infinity, .nan, -1, 0, .leastNonzeroMagnitude, .greatestFiniteMagnitude,
    -.greatestFiniteMagnitude,
  ]
  private static let integers = [Int.min, -1, 0, 1, .max]
  private static let times = doubles.map { Date(timeIntervalSince1970: $0) }

  private let configuration: FeedConfiguration
  private let database: OffersDatabase
  private let web = CannedTransport([
    "https://tea.example/1.json": .response(302, [HeaderField("Location", "/2.json")]),
    "https://tea.example/2.json": .response(
      200, [], #"[{"id":"1","name":"Assam tea"},{"id":"2","name":"Tea"}]"#),
  ])

  init() async throws {
    configuration = try FeedConfiguration(yaml: Self.yaml, name: "feeds", includesShipped: false)
    database = try await OffersDatabase.inMemory(configuration: configuration)
    _ = try await engine.sync("teas")
  }

  private var engine: SyncEngine {
    SyncEngine(store: database, transport: web, configuration: configuration)
  }

  /// Tries each extreme value of each option of a type, one at a time: none traps, and what is refused is
  /// refused by an `OffersError`.
  ///
  /// - Parameters:
  ///   - options: the usual values.
  ///   - setters: how each option with a number or a time is set to its extreme values.
  ///   - use: passes the options on.
  private func tryAll<Options>(
    _ options: Options, _ setters: [String: [(inout Options) -> Void]],
    _ use: (Options) async throws -> Void
  ) async throws {
    let names = Mirror(reflecting: options).children.compactMap { child -> String? in
      let type = String(describing: type(of: child.value))
      let isBounded = ["Int", "Double", "Date", "UInt", "Float"].contains { type.contains($0) }
      return isBounded ? child.label : nil
    }
    #expect(Set(names) == Set(setters.keys), "\(Options.self)")
    for (_, sets) in setters {
      for set in sets {
        var changed = options
        set(&changed)
        do {
          try await use(changed)
        } catch is OffersError {
          // A refusal.
        }
      }
    }
  }

  private func setters<Options, Value: Sendable>(
    _ path: WritableKeyPath<Options, Value>, _ values: [Value]
  ) -> [(inout Options) -> Void] {
    values.map { value in { $0[keyPath: path] = value } }
  }

  private func setters<Options, Value: Sendable>(
    _ path: WritableKeyPath<Options, Value?>, _ values: [Value]
  ) -> [(inout Options) -> Void] {
    values.map { value in { $0[keyPath: path] = value } }
  }

  @Test("of a sync and of its limits are bounded")
  func syncs() async throws {
    let usual = SyncOptions(reason: .forced)
    try await tryAll(
      usual,
      [
        "lockWaitSeconds": setters(\.lockWaitSeconds, Self.doubles),
        "firstPage": setters(\.firstPage, Self.integers),
        "pages": setters(\.pages, Self.integers),
      ]
    ) { options in
      _ = try await engine.sync("teas", options: options)
      _ = try await engine.preview("teas", options: options)
    }
    try await tryAll(
      FetchLimits(),
      [
        "bodyBytes": setters(\.bodyBytes, Self.integers),
        "idleSeconds": setters(\.idleSeconds, [.min, -1, 0, 1, .max]),
        "totalSeconds": setters(\.totalSeconds, Self.doubles),
        "redirects": setters(\.redirects, Self.integers),
      ]
    ) { limits in
      var options = usual
      options.limits = limits
      _ = try await engine.sync("teas", options: options)
    }
    for number in Self.integers {
      _ = try? await engine.search("teas", for: "tea", page: number, limit: number)
      _ = try? await engine.search("teas", for: "tea", page: number)
    }
  }

  @Test("of the library's own HTTP client are bounded")
  func transports() async throws {
    let server = try ScriptedServer(Array(repeating: .answer("200 OK", [], "[]"), count: 64))
    for seconds in Self.doubles {
      for (head, idle) in [(seconds, 5), (5, seconds)] {
        let request = try TransportRequest(
          url: server.url(), mayBePrivate: true, headSeconds: head, idleSeconds: idle)
        let connections = HTTPConnections(environment: { _ in nil })
        _ = try? await connections.send(request)
        await connections.close()
      }
    }
  }

  /// Lists the offers of a query in several orders, by pages of every size.
  private func list(_ query: OfferQuery) async throws {
    for sort in [OfferQuery.Sort.feed, .newest, .expiry, .name] {
      var query = query
      query.sort = sort
      for isWhole in [false, true] {
        query.includesExpired = isWhole
        _ = try await database.fetchOffers(query)
        _ = try await database.countOffers(query)
        for bytes in Self.integers {
          query.after = try await database.fetchOfferPage(query, maximumBytes: bytes).next
        }
      }
    }
  }

  @Test("of queries are bounded")
  func queries() async throws {
    try await tryAll(
      Selection(),
      [
        "newSince": setters(\.newSince, Self.times),
        "expiring": setters(\.expiring, [Date.distantPast...Date.distantFuture]),
      ]
    ) { selection in
      var query = OfferQuery()
      query.selection = selection
      try await list(query)
    }
    try await tryAll(
      OfferQuery(),
      [
        "now": setters(\.now, Self.times),
        "limit": setters(\.limit, Self.integers),
        "offset": setters(\.offset, Self.integers),
        "textBytes": setters(\.textBytes, Self.integers),
      ], list)
    try await tryAll(
      SearchQuery("tea"),
      [
        "now": setters(\.now, Self.times), "limit": setters(\.limit, Self.integers),
        "page": setters(\.page, Self.integers),
        "maximumBytes": setters(\.maximumBytes, Self.integers),
      ]
    ) { _ = try await database.search($0) }
    try await tryAll(
      ChangeQuery(now: .now),
      [
        "since": setters(\.since, Self.times),
        "afterID": setters(\.afterID, [.min, -1, 0, .max]),
        "limit": setters(\.limit, Self.integers), "now": setters(\.now, Self.times),
        "textBytes": setters(\.textBytes, Self.integers),
      ]
    ) { query in
      _ = try await database.fetchChanges(query)
      _ = try await database.fetchChangePage(query)
    }
    try await tryAll(
      HouseholdQuery(),
      [
        "limit": setters(\.limit, Self.integers), "offset": setters(\.offset, Self.integers),
        "textBytes": setters(\.textBytes, Self.integers),
      ]
    ) { query in
      for bytes in Self.integers {
        _ = try await database.fetchHousehold(query, maximumBytes: bytes)
      }
    }
    try await tryAll(
      HistoryQuery(),
      [
        "before": setters(\.before, [.min, -1, 0, .max]),
        "limit": setters(\.limit, Self.integers),
        "maximumBytes": setters(\.maximumBytes, Self.integers),
      ]
    ) { _ = try await database.fetchHistory(named: "1", $0) }
  }

  @Test("of single calls are bounded")
  func calls() async throws {
    let folder = try TemporaryFolder()
    let offer = try await database.fetchOffer(named: "1")
    for number in Self.integers {
      _ = try? await database.setImageLimit(number)
      _ = ImageCacheLimits.favoriteImages(of: number)
      let opened = try await OffersDatabase.open(
        at: URL(filePath: folder.file("\(number).sqlite")), readerCount: number,
        configuration: configuration)
      _ = try await opened.fetchOffers(OfferQuery())
      try await opened.close()
    }
    for time in Self.times {
      _ = offer.isExpired(at: time)
      _ = try await database.fetchImageContents(now: time)
      _ = try await database.share([offer.ref], at: time)
      for summary in try await configuration.fetchSummaries(in: database) {
        _ = summary.nextDueAt(now: time)
      }
      var header = CachedImage(
        url: "https://tea.example/1.png", bytes: TinyImage.png(),
        header: ImageHeader(format: .png, width: .max, height: .max), fetchedAt: time,
        freshUntil: time)
      _ = try? await database.putImage(header)
      header = CachedImage(
        url: "https://tea.example/1.png", bytes: TinyImage.png(),
        header: ImageHeader(format: .png, width: 1, height: 1), fetchedAt: time, freshUntil: time)
      try await database.putImage(header)
    }
  }
}
