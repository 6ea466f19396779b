import Foundation

/// Measures the feed reader with JSON, JSON lines and RSS, with shipped and other definitions,
/// compared with Foundation, the C programs and the XML parser alone. Only the RSS that is compared
/// with a C program is stored.
struct ReadBenchmark {
  let offers: String
  let scratch: String
  let peers: Peers
  let rounds: Int

  private var work: String { scratch + "/read" }
  private var json: String { work + "/100000.json" }
  private var lines: String { work + "/100000.ndjson" }
  private var rss: String { work + "/100000.rss" }
  private var large: String { work + "/1000000.json" }
  private var own: String { work + "/own.yaml" }
  private var rich: String { work + "/rich.yaml" }
  private var database: String { work + "/offers.sqlite" }

  func run() throws {
    var report = Report()
    report.printMachine()
    // The files are made in a process of their own, because the memory of this process counts in
    // the peak of its children.
    _ = try ProcessTimer.time([CommandLine.arguments[0], "read-files"])
    try measureJSON(&report)
    try measureXML(&report)
    try measureMemory(&report)
    report.printGoals()
  }

  private func reader(_ work: ReadWork, _ words: String...) -> [String] {
    [CommandLine.arguments[0], "work", work.rawValue] + words
  }

  private func measureJSON(_ report: inout Report) throws {
    var commands = [
      MeasuredCommand(name: "JSON, shipped definition", command: reader(.read, json)) {},
      MeasuredCommand(name: "JSON, own definition", command: reader(.read, json, own)) {},
      MeasuredCommand(name: "JSON, rich definition", command: reader(.read, json, rich)) {},
      MeasuredCommand(name: "one value a line", command: reader(.read, lines, own)) {},
      MeasuredCommand(name: "Foundation's JSONDecoder", command: reader(.decode, json)) {},
    ]
    if let limit = peers.limit {
      commands.append(MeasuredCommand(name: "C parser", command: [limit, "parse", json, "1"]) {})
    }
    let costs = try ProcessTimer(rounds: rounds).run(commands)
    report.printTable(
      "Reading 100,000 offers of JSON (\(megabytes(json)) MB)", commands.map(\.name), costs)
    let shipped = costs["JSON, shipped definition"] ?? []
    print("JSON: \(Report.text(speed(json, shipped), 0)) MB a second of CPU time.\n")
    report.add(
      "JSON, to JSONDecoder", Report.ratio(costs["Foundation's JSONDecoder"] ?? [], shipped),
      atLeast: 4)
    report.add(
      "an own definition, to the shipped one",
      Report.ratio(costs["JSON, own definition"] ?? [], shipped), atMost: 1.3)
  }

  private func measureXML(_ report: inout Report) throws {
    var commands = [
      MeasuredCommand(name: "XML parser alone", command: reader(.expat, rss)) {},
      MeasuredCommand(
        name: "RSS, well-known definition", command: reader(.read, rss, rssDefinition)
      ) {},
    ]
    let database = database
    func clear() throws { try removeFiles(at: database) }
    commands.append(
      MeasuredCommand(
        name: "RSS into SQLite",
        command: [
          offers, "sync", "rss", "--from", rss, "--quiet", "--database", database, "--config",
          rssDefinition,
        ], prepare: clear))
    if let limit = peers.rssLimit {
      commands.append(
        MeasuredCommand(
          name: "C program (expat, SQLite)", command: [limit, rss, database], prepare: clear))
    }
    let costs = try ProcessTimer(rounds: rounds).run(commands)
    report.printTable(
      "Reading 100,000 offers of RSS (\(megabytes(rss)) MB)", commands.map(\.name), costs)
    report.add(
      "RSS, to the XML parser alone",
      Report.ratio(
        costs["RSS, well-known definition"] ?? [], costs["XML parser alone"] ?? []), atMost: 1.8)
    if let limit = costs["C program (expat, SQLite)"] {
      report.add(
        "RSS into SQLite, to the C program",
        Report.ratio(costs["RSS into SQLite"] ?? [], limit), atMost: 1.8)
    }
    try removeFiles(at: database)
  }

  private func measureMemory(_ report: inout Report) throws {
    let commands = [MeasuredCommand(name: "1,000,000 offers", command: reader(.read, large)) {}]
    let costs = try ProcessTimer(rounds: 1).run(commands)
    report.printTable(
      "A document of \(megabytes(large)) MB", commands.map(\.name), costs)
    let peak = costs["1,000,000 offers"]?.first?.peakBytes ?? 0
    report.add(
      "peak memory of \(megabytes(large)) MB", Double(peak) / 1_048_576, atMost: 64, " MiB")
  }

  private func megabytes(_ path: String) -> Int { (fileSize(path) + 500_000) / 1_000_000 }

  private func speed(_ path: String, _ costs: [Cost]) -> Double {
    Double(fileSize(path)) / 1e6 / max(costs.median(\.cpu), 1e-4)
  }

  private func fileSize(_ path: String) -> Int {
    var information = stat()
    return stat(path, &information) == 0 ? Int(information.st_size) : 0
  }

  private func removeFiles(at path: String) throws {
    for suffix in ["", "-wal", "-shm", "-lock", "-journal"] { unlink(path + suffix) }
  }
}

extension ReadBenchmark {
  private var rssDefinition: String { work + "/rss.yaml" }

  func makeFiles() throws {
    try FileManager.default.createDirectory(atPath: work, withIntermediateDirectories: true)
    for (path, count) in [(json, 100_000), (large, 1_000_000)] {
      try make(path) { try FeedGenerator(count: count).write(.plain, to: $0) }
    }
    try make(lines) { path in
      // The JSON separates items with commas, which become line breaks.
      let text = try String(contentsOfFile: json, encoding: .utf8)
      let items = text.dropFirst().dropLast().replacing("},{", with: "}\n{")
      try (items.trimmingCharacters(in: .whitespacesAndNewlines) + "\n").write(
        toFile: path, atomically: true, encoding: .utf8)
    }
    try make(rss) { path in
      if let folder = peers.folder {
        _ = try ProcessTimer.time([
          "python3", folder + "/gen_feed.py", "-n", "100000", "--format", "rss", "-o", path,
        ])
      } else {
        try Self.writeRSS(count: 100_000, to: path)
      }
    }
    try Self.ownDefinition.write(toFile: own, atomically: true, encoding: .utf8)
    try Self.richDefinition.write(toFile: rich, atomically: true, encoding: .utf8)
    let guess = try ProcessTimer.output([offers, "feeds", "guess", rss, "--name", "rss"])
    try guess.write(toFile: rssDefinition, atomically: true, encoding: .utf8)
  }

  private func make(_ path: String, _ write: (String) throws -> Void) throws {
    if FileManager.default.fileExists(atPath: path) { return }
    try write(path + ".new")
    try FileManager.default.moveItem(atPath: path + ".new", toPath: path)
  }

  private static func writeRSS(count: Int, to path: String) throws {
    var text = """
      <?xml version="1.0" encoding="UTF-8"?>
      <rss version="2.0" xmlns:g="http://base.google.com/ns/1.0"><channel><title>Offers</title>

      """
    for number in 0..<count {
      text += """
        <item><g:id>\(number)</g:id><title>Sunrise® Tea No. \(number)</title>
        <link>https://example.com/offers/\(number)</link>
        <description>Any variety of 30 oz. &amp; more, bought once at a shop of your own choice.\
        </description><g:image_link>https://images.example.com/\(number).png</g:image_link>
        <g:price>\(number % 90).50 USD</g:price></item>

        """
    }
    try (text + "</channel></rss>\n").write(toFile: path, atomically: true, encoding: .utf8)
  }

  private static let ownDefinition = """
    feeds:
      mine:
        id: id
        currency: USD
        fields: {name: name, description: description, terms: terms, reward: current_value, image: url}
    """

  /// A definition with alternatives for most fields, a template and attributes.
  private static let richDefinition = """
    feeds:
      rich:
        id: [sku, id]
        currency: USD
        fields:
          name: [title, name]
          description: [{from: body, as: html}, {from: description, as: html}]
          terms: terms
          reward: [price.amount, current_value]
          image: [images[0].src, url]
          link: https://example.com/offers/{id}
        attributes:
          Pays: current_value
          Name and pay: "{name}: {current_value}"
    """.replacing("[images[0].src, url]", with: "[\"images[0].src\", url]")
}
