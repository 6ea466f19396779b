import Foundation

/// Measures conditional requests to many servers, and the sync of a large feed that has not
/// changed.
struct RefreshBenchmark {
  let offers: String
  let scratch: String
  let rounds: Int

  private static let hostCount = 20
  private static let feedsPerHost = 10
  private static let latencyMilliseconds: UInt32 = 50
  private static let largeCount = 100_000
  private static let floor = "one offer, 304"

  private var work: String { scratch + "/refresh" }
  private var database: String { work + "/offers.sqlite" }
  private var config: String { work + "/feeds.yaml" }

  func run() throws {
    try FileManager.default.createDirectory(atPath: work, withIntermediateDirectories: true)
    var report = Report()
    report.printMachine()
    try measureManyFeeds(&report)
    try measureLargeFeed(&report)
    report.printGoals()
    try removeFiles(at: database)
  }

  private func command(_ words: [String]) -> [String] {
    [offers, "sync"] + words + ["--quiet", "--database", database, "--config", config]
  }

  private func measureManyFeeds(_ report: inout Report) throws {
    let count = Self.hostCount * Self.feedsPerHost
    var documents: [String: LoopbackServer.Document] = [:]
    for feed in 0..<count {
      let records = (1...50).map {
        #"{"id":\#($0),"name":"Offer \#($0) of \#(feed)","current_value":"$1.00"}"#
      }
      documents["/\(feed).json"] = LoopbackServer.Document(
        body: Array("[\(records.joined(separator: ","))]".utf8), etag: "\"feed-\(feed)\"")
    }
    let server = try LoopbackServer(
      hostCount: Self.hostCount, latencyMilliseconds: Self.latencyMilliseconds,
      documents: documents)
    var yaml = "feeds:\n"
    for feed in 0..<count {
      yaml += """
          feed-\(feed):
            source: \(server.url(host: feed % Self.hostCount, "/\(feed).json"))
            items: ""
            id: id
            fields: {name: name, reward: current_value}

        """
    }
    try yaml.write(toFile: config, atomically: true, encoding: .utf8)
    try removeFiles(at: database)
    let names = (0..<count).map { "feed-\($0)" }
    _ = try ProcessTimer.time(command(names))
    _ = server.takeCounts()
    let all = MeasuredCommand(name: "\(count) feeds, all 304", command: command(names)) {}
    let costs = try ProcessTimer(rounds: rounds).run([all])
    let counts = server.takeCounts()
    report.printTable(
      "\(count) feeds on \(Self.hostCount) hosts, \(Self.latencyMilliseconds) ms each",
      [all.name], costs)
    print(
      "\(counts.requests) requests, \(counts.notModified) of them 304, over \(counts.connections) "
        + "connections in \(rounds) rounds.\n")
    let chain = Double(Self.feedsPerHost) * Double(Self.latencyMilliseconds) / 1000
    let wall = costs[all.name]?.median(\.wall) ?? 0
    report.add("wall time, to the longest host's chain of \(chain) s", wall / chain, atMost: 1.5)
    report.add(
      "peak memory, \(count) feeds", (costs[all.name]?.median { Double($0.peakBytes) } ?? 0) / 1e6,
      atMost: 64, " MB")
  }

  private func measureLargeFeed(_ report: inout Report) throws {
    let path = "\(work)/large.json"
    try FeedGenerator(count: Self.largeCount).write(.plain, to: path)
    let body = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
    let server = try LoopbackServer(
      hostCount: 1, latencyMilliseconds: 0,
      documents: [
        "/with.json": .init(body: body, etag: "\"large\""),
        "/without.json": .init(body: body, etag: nil),
        "/one.json": .init(body: Array(#"[{"id":1,"name":"One"}]"#.utf8), etag: "\"one\""),
      ])
    try "feeds: {}\n".write(toFile: config, atomically: true, encoding: .utf8)
    var commands: [MeasuredCommand] = []
    let fresh = { try removeFiles(at: database) }
    // The lower bound: the sync of a feed with one offer, which is answered with 304.
    let one = command(["ibotta", "--from", server.url(host: 0, "/one.json")])
    commands.append(
      MeasuredCommand(name: Self.floor, command: one) {
        try removeFiles(at: database)
        _ = try ProcessTimer.time(one)
      })
    for name in ["with", "without"] {
      let sync = command(["ibotta", "--from", server.url(host: 0, "/\(name).json")])
      commands.append(
        MeasuredCommand(name: "first import, \(name) validators", command: sync, prepare: fresh))
      commands.append(MeasuredCommand(name: "unchanged, \(name) validators", command: sync) {})
    }
    let costs = try ProcessTimer(rounds: rounds).run(commands)
    report.printTable("\(Self.largeCount) offers over HTTP", commands.map(\.name), costs)
    for (name, limit) in [("with", 0.02), ("without", 0.1)] {
      guard let first = costs["first import, \(name) validators"],
        let again = costs["unchanged, \(name) validators"]
      else { continue }
      report.add(
        "unchanged, \(name) validators, to its first import", Report.ratio(again, first),
        atMost: limit)
    }
    if let floor = costs[Self.floor], let first = costs["first import, with validators"] {
      print(
        "The conditional request for a single offer costs "
          + "\(Report.text(Report.ratio(floor, first), 3))× of that first import.\n")
    }
  }
}
