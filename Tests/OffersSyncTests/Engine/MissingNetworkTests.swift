import Foundation
import OffersCore
import OffersFeeds
import OffersTestSupport
import Testing

@testable import OffersSync

/// A machine with feeds on several sites, whose network comes and goes.
private struct Laptop {
  let home: FetchHome
  let names: [String]
  private let yaml: String

  /// The reasons for which no server is reached.
  struct Offline: HTTPTransport {
    let reason: TransportFailure.Reason

    func send(_ request: TransportRequest) async throws -> TransportResponse {
      throw TransportFailure(reason)
    }
  }

  init(_ count: Int) async throws {
    home = try await FetchHome()
    names = (1...count).map { "shop\($0)" }
    yaml =
      "feeds:\n"
      + names.map {
        """
          \($0):
            source: https://\($0).example/offers.json
            every: 6h
            items: ""
            id: id
            fields: {name: name}

        """
      }.joined()
  }

  /// Syncs the feeds that are due over a transport, by default the simulated web.
  func sync(over transport: (any HTTPTransport)? = nil) async throws -> [String: SyncRun] {
    let engine = SyncEngine(
      store: home.database, transport: .shared(transport ?? home.web),
      configuration: try FeedConfiguration(yaml: yaml, name: "feeds.yaml"),
      environment: { _ in nil }, now: { [home] in home.now }, jitter: { 1 })
    var runs: [String: SyncRun] = [:]
    try await engine.run(names, options: SyncOptions(reason: .due)) { feed, result in
      runs[feed] = try? result.get()
    }
    return runs
  }

  /// Lets each server answer with its feed, except for those that a closure answers for.
  func serve(_ others: @escaping @Sendable (TransportRequest) -> SimulatedAnswer?? = { _ in nil }) {
    home.web.answer { request in
      if let answer = others(request) { return answer }
      let host = request.url.host() ?? ""
      return host.hasSuffix(".example")
        ? SimulatedAnswer(200, [], #"[{"id":"1","name":"Tea of \#(host)"}]"#) : nil
    }
  }

  /// The number of consecutive failures of each feed.
  func failures() async throws -> [Int] {
    try await home.database.fetchFeeds().filter { names.contains($0.name) }
      .map(\.fetch.failureCount)
  }
}

@Suite("A machine without a network")
struct MissingNetworkTests {
  /// The answers of a network that wants a login, as people meet them.
  enum Portal: CaseIterable, Sendable {
    case redirects, answers, saysSo, breaksTLS

    func answer(_ request: TransportRequest) -> SimulatedAnswer? {
      let isPlain = request.url.scheme == "http"
      let page = SimulatedAnswer(200, [("Content-Type", "text/html")], "<html>Log in</html>")
      switch self {
      case .redirects:
        if request.url.host() == "login.hotel" { return page }
        return SimulatedAnswer(302, [("Location", "https://login.hotel/?next=\(request.url)")])
      case .answers: return page
      case .saysSo: return SimulatedAnswer(511, [], "<html>Log in</html>")
      // Encrypted connections get no answer.
      case .breaksTLS: return isPlain ? page : nil
      }
    }
  }

  @Test(
    "a day without a network puts no feed off, and the first sync with one fetches all that is due",
    arguments: [1, 3], [TransportFailure.Reason.noNetwork, .unknownHost, .unreachable])
  func waitsForTheNetwork(count: Int, reason: TransportFailure.Reason) async throws {
    // Of a single site it is not known whether it has gone.
    if count == 1, reason != .noNetwork { return }
    let laptop = try await Laptop(count)
    laptop.serve()
    #expect(try await laptop.sync().count == count)
    let runCount = try await laptop.home.database.countEverything().runs
    laptop.home.wait(hours: 6)
    for _ in 0..<24 {
      laptop.home.wait(hours: 1)
      let runs = try await laptop.sync(over: Laptop.Offline(reason: reason))
      #expect(runs.values.allSatisfy { $0.error?.code == .noNetwork } && runs.count == count)
      #expect(runs.values.allSatisfy { $0.error?.message == "There is no network." })
      let hint =
        "Nothing was changed. What is due is read by the first sync after the network is back."
      #expect(runs.values.allSatisfy { $0.error?.hint?.text == hint })
    }
    #expect(try await laptop.failures() == Array(repeating: 0, count: count))
    let last = try await laptop.home.database.fetchFeeds().compactMap(\.lastRun)
    #expect(last.filter { $0.error?.code == .noNetwork && $0.word == "no network" }.count == count)
    // Hundreds of such runs are recorded as one of each feed.
    #expect(try await laptop.home.database.countEverything().runs == runCount + count)
    let back = try await laptop.sync()
    #expect(back.values.allSatisfy { $0.outcome == .unchanged } && back.count == count)
  }

  @Test(
    "a network that answers in place of every server puts no feed off", arguments: [1, 3],
    Portal.allCases)
  func passesPortals(count: Int, portal: Portal) async throws {
    let laptop = try await Laptop(count)
    laptop.serve()
    _ = try await laptop.sync()
    laptop.serve { .some(portal.answer($0)) }
    for _ in 0..<3 {
      laptop.home.wait(hours: 7)
      let runs = try await laptop.sync()
      #expect(runs.values.allSatisfy { $0.error?.code == .noNetwork } && runs.count == count)
      let tellsLogin = runs.values.allSatisfy { $0.error?.message.contains("login") == true }
      #expect(tellsLogin || portal == .breaksTLS)
    }
    #expect(try await laptop.failures() == Array(repeating: 0, count: count))
    laptop.serve()
    #expect(try await laptop.sync().values.allSatisfy { $0.outcome == .unchanged })
  }

  @Test("a server that is down, or shows a web page, fails its own feed", arguments: [1, 3])
  func blamesTheServer(count: Int) async throws {
    for answer in [nil, SimulatedAnswer(200, [], "<html>Closed</html>")] {
      let laptop = try await Laptop(count)
      laptop.serve()
      _ = try await laptop.sync()
      laptop.serve { $0.url.host() == "shop1.example" ? .some(answer) : nil }
      laptop.home.wait(hours: 7)
      let run = try #require(try await laptop.sync()["shop1"])
      #expect(run.outcome == .failed && run.error?.code != .noNetwork)
      #expect(try await laptop.failures() == [1] + Array(repeating: 0, count: count - 1))
      #expect(run.nextDueAt == laptop.home.now + 3600)
    }
  }

  @Test("feeds that failed while others worked go on failing when they are due alone")
  func blamesDeadSites() async throws {
    let laptop = try await Laptop(3)
    laptop.serve()
    _ = try await laptop.sync()
    laptop.serve { $0.url.host() == "shop3.example" ? nil : .some(nil) }
    laptop.home.wait(hours: 7)
    _ = try await laptop.sync()
    #expect(try await laptop.failures() == [1, 1, 0])
    laptop.home.wait(hours: 1)
    #expect(try await laptop.sync()["shop1"]?.error?.code == .sourceFailed)
    #expect(try await laptop.failures() == [2, 2, 0])
  }
}
