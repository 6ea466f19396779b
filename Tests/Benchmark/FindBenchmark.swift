import Foundation

/// Measures searches, lists and lookups as whole processes, compared with the `sqlite3` shell and a
/// hand-written query on the same file, and the cost of the search index in a sync.
struct FindBenchmark {
  let offers: String
  let scratch: String
  let peers: Peers
  let sizes: [Int]
  let rounds: Int

  private static let shell = "sqlite3"
  private static let noIndex = "first import, no index"
  private static let noIndexAgain = "1 % changed, no index"
  /// A task, with the query for the `sqlite3` shell and the arguments for offers.
  private typealias Task = (name: String, query: String, words: [String])

  private var work: String { scratch + "/find" }
  private var database: String { work + "/offers.sqlite" }
  private var base: String { work + "/base.sqlite" }
  /// The number of rounds of searches, lists and lookups: processes of a few milliseconds need more
  /// for a stable median.
  private var readRounds: Int { max(rounds, 21) }

  func run() throws {
    try FileManager.default.createDirectory(atPath: work, withIntermediateDirectories: true)
    var report = Report()
    report.printMachine()
    let start = try measureStart(&report)
    for size in sizes {
      try measureIndexing(size, &report)
      if let start { try measureReading(size, start: start, &report) }
    }
    report.printGoals()
    for path in [database, base] { try removeFiles(at: path) }
  }

  /// Measures the start-up of the `sqlite3` shell and of offers. Returns the CPU seconds of offers;
  /// nil if the shell is not installed.
  private func measureStart(_ report: inout Report) throws -> Double? {
    guard (try? ProcessTimer.time([Self.shell, "--version"])) != nil else {
      print("No sqlite3 shell to compare with: apt-get install sqlite3\n")
      return nil
    }
    let commands = [
      MeasuredCommand(name: Self.shell, command: [Self.shell, ":memory:", "SELECT 1"]) {},
      MeasuredCommand(name: "offers --version", command: [offers, "--version"]) {},
    ]
    let costs = try ProcessTimer(rounds: 41).run(commands)
    report.printTable("Start-up", commands.map(\.name), costs)
    guard let shell = costs[Self.shell], let own = costs["offers --version"] else { return nil }
    report.add("start-up, to the sqlite3 shell", Report.ratio(own, shell), atMost: 2.2)
    return own.median(\.cpu)
  }

  private func sync(_ feed: String, _ options: String...) -> [String] {
    [offers, "sync", "ibotta", "--from", feed, "--quiet", "--database", database] + options
  }

  private func measureIndexing(_ size: Int, _ report: inout Report) throws {
    let files = FeedFiles(folder: scratch + "/sync", peers: peers)
    let plain = try files.path(.plain, count: size)
    let changed = try files.path(.changed, count: size)
    let fresh = { try removeFiles(at: database) }
    let filled = {
      try removeFiles(at: database)
      try copyFiles(from: base, to: database)
    }
    try fresh()
    _ = try ProcessTimer.time(sync(plain))
    try removeFiles(at: base)
    try copyFiles(from: database, to: base)
    let commands = [
      MeasuredCommand(name: Self.noIndex, command: sync(plain, "--no-index"), prepare: fresh),
      MeasuredCommand(name: "first import", command: sync(plain), prepare: fresh),
      MeasuredCommand(
        name: Self.noIndexAgain, command: sync(changed, "--no-index"), prepare: filled),
      MeasuredCommand(name: "1 % changed", command: sync(changed), prepare: filled),
    ]
    let isLarge = size >= 1_000_000
    let costs = try ProcessTimer(rounds: isLarge ? min(rounds, 3) : rounds).run(commands)
    try filled()
    report.printTable(
      "Indexing \(size) offers", commands.map(\.name), costs,
      sizes: ["first import": try sizeOfFiles(at: database)])
    for (name, other, limit) in [
      ("first import", Self.noIndex, 2.2), ("1 % changed", Self.noIndexAgain, 1.2),
    ] {
      guard let with = costs[name], let without = costs[other] else { continue }
      report.add(
        "\(size): \(name) with the index, to one without", Report.ratio(with, without),
        atMost: limit)
    }
    if isLarge, let first = costs["first import"] {
      report.add(
        "\(size): peak memory, first import with the index",
        first.median { Double($0.peakBytes) } / 1e6, atMost: 80, " MB")
    }
  }

  private var tasks: [Task] {
    func search(_ expression: String) -> String {
      """
      SELECT o.id, o.name, o.reward_text
      FROM offer_search AS s CROSS JOIN offer AS o ON o.offer_key = s.rowid
      WHERE offer_search MATCH '\(expression)' AND o.gone_at IS NULL ORDER BY rank LIMIT 20
      """
    }
    // The arguments with which a shell requests the completion of an id: `2` is the index of the
    // word to complete, which follows, and `3` the cursor's position in it.
    let completion = ["---completion", "show", "--", "positional@0", "2", "3", "offers", "show"]
    return [
      ("one word", search("coffee"), ["search", "coffee"]),
      ("two words", search("paper towels"), ["search", "paper", "towels"]),
      ("a prefix word", search("cof*"), ["search", "cof"]),
      (
        "first page by reward",
        """
        SELECT id, name, reward_text FROM offer WHERE gone_at IS NULL
        ORDER BY reward_minor_units DESC LIMIT 50
        """, ["list", "--limit", "50", "--sort", "reward"]
      ),
      (
        "one offer",
        """
        SELECT o.id, o.name, o.reward_text FROM offer AS o JOIN feed AS f USING (feed_key)
        WHERE f.name = 'ibotta' AND o.id = '110579'
        """, ["show", "110579"]
      ),
      (
        "completion of an id",
        """
        SELECT f.name, o.id FROM offer AS o JOIN feed AS f USING (feed_key)
        WHERE o.id >= '110' AND o.id < '111' AND o.gone_at IS NULL ORDER BY o.id LIMIT 50
        """, completion + ["110"]
      ),
    ]
  }

  private func measureReading(_ size: Int, start: Double, _ report: inout Report) throws {
    for task in tasks {
      let commands = [
        MeasuredCommand(name: Self.shell, command: [Self.shell, database, task.query]) {},
        MeasuredCommand(
          name: "offers",
          command: [offers] + task.words + ["--database", database]
        ) {},
      ]
      let costs = try ProcessTimer(rounds: readRounds).run(commands)
      report.printTable("\(task.name) of \(size) offers", commands.map(\.name), costs)
      guard let shell = costs[Self.shell], let own = costs[commands[1].name] else { continue }
      let ratio = (own.median(\.cpu) - start) / max(shell.median(\.cpu), 1e-4)
      report.add(
        "\(size): \(task.name), less the start-up, to the sqlite3 shell", ratio, atMost: 1.5)
    }
  }
}
