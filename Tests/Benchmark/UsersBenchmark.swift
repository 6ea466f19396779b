import Foundation
import OffersCore
import OffersSQLite

/// Measures what users cost the server: the requests for one offer without and with a login, and the
/// front page with the favorites of one user and of 100.
struct UsersBenchmark {
  let offers: String
  let scratch: String
  let peers: Peers
  let rounds: Int

  private static let offerCount = 100_000
  private static let userCount = 100
  private static let favoriteCount = 1_000
  private static let loadSeconds = 3

  private var work: String { scratch + "/users" }

  /// A server with the logins of its users.
  private struct Server {
    let process: ServedProcess
    let port: Int
    /// Tokens of users; empty if the server asks for no login.
    var tokens: [String] = []

    func headers(_ number: Int) -> [String] {
      tokens.isEmpty ? [] : ["-H", "Authorization: Bearer \(tokens[number % tokens.count])"]
    }

    func url(_ path: String) -> String { "http://127.0.0.1:\(port)\(path)" }
  }

  func run() async throws {
    try FileManager.default.createDirectory(atPath: work, withIntermediateDirectories: true)
    let one = try await makeDatabase("one", users: 1)
    let many = try await makeDatabase("many", users: Self.userCount)
    let alone = try start(one, users: 1)
    let household = try start(many, users: Self.userCount)
    var report = Report()
    report.printMachine()
    let store = try await OffersDatabase.open(path: one, access: .readOnly)
    guard let ref = try await store.fetchOffers(OfferQuery(limit: 1)).first?.ref else {
      throw BenchmarkError(description: "The feed has no offer.")
    }
    try measureOffer(ref, alone, household, &report)
    try await measureFrontPage(ref, [(alone, one), (household, many)], &report)
    report.printGoals()
  }

  /// Makes a database with users, each with `favoriteCount` favorites of their own choice.
  private func makeDatabase(_ name: String, users: Int) async throws -> String {
    let database = "\(work)/\(name).sqlite"
    try removeFiles(at: database)
    let feed = try FeedFiles(folder: scratch + "/sync", peers: peers).path(
      .plain, count: Self.offerCount)
    _ = try ProcessTimer.time([
      offers, "sync", "ibotta", "--from", feed, "--quiet", "--database", database,
    ])
    let store = try await OffersDatabase.open(path: database)
    for number in 1..<users { try await store.addUser(named: "user\(number)", role: .member) }
    let refs = try await store.fetchOffers(OfferQuery()).map(\.ref)
    for (number, user) in try await store.fetchUsers().enumerated() {
      let own = (0..<Self.favoriteCount).map { refs[(number + $0 * 97) % refs.count] }
      try await store.record(of: user).setFavorites(own, to: true)
    }
    return database
  }

  private func start(_ database: String, users: Int) throws -> Server {
    let port = ServeBenchmark.freePort()
    let process = try ServedProcess(
      [offers, "serve", "--port", "\(port)", "--database", database],
      until: "http://127.0.0.1:\(port)/api/v1/health")
    var server = Server(process: process, port: port)
    guard users > 1 else { return server }
    server.tokens = try (1..<users).map { number in
      try ProcessTimer.output([
        offers, "token", "add", "benchmark", "--user", "user\(number)", "--database", database,
      ]).trimmingCharacters(in: .whitespacesAndNewlines)
    }
    return server
  }

  private func measureOffer(
    _ ref: OfferRef, _ alone: Server, _ household: Server, _ report: inout Report
  ) throws {
    let path = "/api/v1/offers/\(ref)"
    var rates: [(alone: Double, loggedIn: Double)] = []
    for _ in 0..<rounds {
      let load = WrkLoad(seconds: Self.loadSeconds)
      rates.append(
        (
          try load.run(alone.url(path)).rate,
          try load.run(household.url(path), headers: household.headers(0)).rate
        ))
    }
    print("### One offer, requests/s, 32 connections\n\n| login | requests/s |\n|---|---|")
    print("| none | \(Report.text(rates.map(\.alone).median, 0)) |")
    print("| API token | \(Report.text(rates.map(\.loggedIn).median, 0)) |\n")
    report.add(
      "one offer, cost with a login to without", rates.map { $0.alone / $0.loggedIn }.median,
      atMost: 1.3)
  }

  /// Measures the time to the whole front page right after a commit, so that no page is served from
  /// memory.
  private func measureFrontPage(
    _ ref: OfferRef, _ servers: [(server: Server, database: String)], _ report: inout Report
  ) async throws {
    var times: [[Double]] = [[], []]
    let requestCount = 20 * rounds
    let stores = [
      try await OffersDatabase.open(path: servers[0].database),
      try await OffersDatabase.open(path: servers[1].database),
    ]
    for round in 0..<requestCount {
      for (index, (server, _)) in servers.enumerated() {
        try await stores[index].setFavorites([ref], to: round.isMultiple(of: 2))
        let text = try ProcessTimer.output(
          [
            "/usr/bin/env", "curl", "-sSf", "-o", "/dev/null", "-w", "%{time_total}",
          ] + server.headers(round) + [server.url("/")])
        times[index].append((Double(text) ?? 0) * 1000)
      }
    }
    print(
      """
      ### The front page after a commit, \(Self.offerCount) offers, \(Self.favoriteCount) favorites \
      a user

      | users | ms |
      |---|---|
      """)
    for (users, runs) in zip([1, Self.userCount], times) {
      print("| \(users) | \(Report.text(runs.median, 2)) |")
    }
    print("")
    report.add(
      "front page, time with \(Self.userCount) users to one", times[1].median / times[0].median,
      atMost: 2)
  }
}
