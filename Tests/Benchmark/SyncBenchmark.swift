import Foundation

/// Measures syncs: the first import, then the same, changed, reordered and re-spaced documents,
/// compared with other programs if they are installed. Those make no search index, so none is made
/// here; `FindBenchmark` measures its cost.
struct SyncBenchmark {
  let offers: String
  let scratch: String
  let peers: Peers
  let sizes: [Int]
  let rounds: Int

  private var work: String { scratch + "/sync" }
  private var database: String { work + "/offers.sqlite" }

  private static let again = ["same again", "1 % changed", "reordered", "re-spaced"]

  func run() throws {
    var report = Report()
    report.printMachine()
    print("All without a search index (--no-index), since the other programs make none.\n")
    for line in peers.missing { print(line + "\n") }
    for size in sizes {
      let feeds = try makeFeeds(size)
      try measureSync(size, feeds, &report)
      if size < 1_000_000 { try measureShow(size, &report) }
    }
    report.printGoals()
    try removeFiles(at: database)
  }

  /// Returns the paths of the plain feed, and of a feed for each name in `again`.
  private func makeFeeds(_ size: Int) throws -> [String] {
    let files = FeedFiles(folder: work, peers: peers)
    var paths = try FeedGenerator.Variant.allCases.map { try files.path($0, count: size) }
    let respaced = paths[0] + ".respaced"
    if !FileManager.default.fileExists(atPath: respaced) {
      try FeedGenerator.respace(paths[0], to: respaced)
    }
    paths.insert(paths[0], at: 1)
    return paths + [respaced]
  }

  private func sync(_ feed: String) -> [String] {
    [offers, "sync", "ibotta", "--from", feed, "--quiet", "--no-index", "--database", database]
  }

  private func measureSync(_ size: Int, _ feeds: [String], _ report: inout Report) throws {
    let base = work + "/base"
    try removeFiles(at: database)
    _ = try ProcessTimer.time(sync(feeds[0]))
    try? FileManager.default.removeItem(atPath: base)  // It is missing in the first run.
    try FileManager.default.createDirectory(atPath: base, withIntermediateDirectories: true)
    try copyFiles(from: database, to: base + "/offers.sqlite")

    let isLarge = size >= 1_000_000
    let fresh = { try removeFiles(at: database) }
    var commands = [MeasuredCommand(name: "first import", command: sync(feeds[0]), prepare: fresh)]
    for (name, command) in peers.imports(feed: feeds[0], database: database) {
      commands.append(MeasuredCommand(name: name, command: command, prepare: fresh))
    }
    for (name, feed) in zip(Self.again, feeds.dropFirst()) {
      commands.append(
        MeasuredCommand(name: name, command: sync(feed)) {
          try removeFiles(at: database)
          try copyFiles(from: base + "/offers.sqlite", to: database)
        })
    }
    let costs = try ProcessTimer(rounds: isLarge ? min(rounds, 3) : rounds).run(commands)
    try fresh()
    try copyFiles(from: base + "/offers.sqlite", to: database)
    report.printTable(
      "Sync of \(size) offers", commands.map(\.name), costs,
      sizes: ["first import": try sizeOfFiles(at: database)])
    addGoals(size, costs, &report)
  }

  private func addGoals(_ size: Int, _ costs: [String: [Cost]], _ report: inout Report) {
    guard let first = costs["first import"] else { return }
    func peak(_ names: [String]) -> Double {
      names.compactMap { costs[$0]?.median { Double($0.peakBytes) } }.max().map { $0 / 1e6 } ?? 0
    }
    if size < 1000 {
      report.add("\(size): first import", first.median(\.cpu) * 1000, atMost: 20, " ms")
      return
    }
    if let limit = costs["C program"] {
      report.add(
        "\(size): first import, to the C program", Report.ratio(first, limit), atMost: 1.5)
    }
    for (name, _) in peers.sqliteUtils {
      guard let runs = costs[name] else { continue }
      report.add("\(size): faster than \(name)", Report.ratio(runs, first), atLeast: 4)
    }
    if let duck = costs["DuckDB"] {
      report.add("\(size): faster than DuckDB", Report.ratio(duck, first), atLeast: 1)
    }
    for name in Self.again {
      guard let runs = costs[name] else { continue }
      report.add(
        "\(size): \(name), to the first import", Report.ratio(runs, first),
        atMost: name == "same again" ? 0.1 : 0.5)
    }
    if size >= 1_000_000 {
      report.add("\(size): peak memory, first import", peak(["first import"]), atMost: 80, " MB")
      report.add("\(size): peak memory, again", peak(Self.again), atMost: 128, " MB")
    }
  }

  private func measureShow(_ size: Int, _ report: inout Report) throws {
    let query = """
      SELECT o.id, o.name, o.reward_text FROM offer o JOIN feed f USING (feed_key)
      WHERE f.name = 'ibotta' AND o.id = '110579'
      """
    guard (try? ProcessTimer.time(["sqlite3", "--version"])) != nil else { return }
    let commands = [
      MeasuredCommand(name: "sqlite3 shell", command: ["sqlite3", database, query]) {},
      MeasuredCommand(
        name: "offers show", command: [offers, "show", "110579", "--database", database]
      ) {
      },
    ]
    let costs = try ProcessTimer(rounds: 41).run(commands)
    report.printTable("One offer of \(size)", commands.map(\.name), costs)
    if let show = costs["offers show"] {
      report.add("\(size): offers show", show.median(\.cpu) * 1000, atMost: 12, " ms")
    }
  }
}
