import Foundation

/// Measures the image repository with images of 20 kB, compared with a C program that does only the
/// essential work, and with reading files. The repository and the C program use WAL with
/// `synchronous=NORMAL`, so that commits do not wait for the disk, and checkpoint at 4 MiB.
struct ImageBenchmark {
  let scratch: String
  let peers: Peers
  let rounds: Int
  /// The duration of each task in a round, in seconds.
  static let seconds = 0.5

  private static let limitHits = "get+touch in memory, flushed each 1000 gets"
  private static let limitPuts = [
    "put+evict, one txn, synchronous=NORMAL", "put over the oldest slot (UPDATE in place)",
  ]
  private static let limitFiles = "file: open+fstat+read+close"

  private var work: String { scratch + "/images" }

  /// The results of one program in one round, by the names of its tasks and counts.
  private struct Round {
    var rates: [String: (perSecond: Double, perProcessorSecond: Double)] = [:]
    var counts: [String: Double] = [:]
  }

  func run() throws {
    try FileManager.default.createDirectory(atPath: work, withIntermediateDirectories: true)
    var report = Report()
    report.printMachine()
    // Of the missing programs, only those for images concern this benchmark.
    for line in peers.missing where line.contains("image") || peers.folder == nil {
      print(line + "\n")
    }
    print(
      "Both sides: WAL, synchronous=NORMAL, checkpoint at 4 MiB. The C program has pages of 4096 "
        + "bytes, one process and no lock between processes; offers has 8192, and its lock.\n"
    )
    var own: [Round] = []
    var limits: [Round] = []
    for _ in 0..<rounds {
      own.append(try measureOwn())
      if let limit = peers.imageLimit { limits.append(try measure(limit)) }
    }
    printTable(own, limits)
    addGoals(own, limits, &report)
    report.printGoals()
  }

  private func measureOwn() throws -> Round {
    let lines = try ProcessTimer.output([
      CommandLine.arguments[0], "work", "images", work + "/own", "\(Self.seconds)",
    ])
    var round = Round()
    for line in lines.split(separator: "\n") {
      let words = line.split(separator: "\t").map(String.init)
      let numbers = words.dropFirst().compactMap(Double.init)
      if numbers.count == 2 {
        round.rates[words[0]] = (numbers[0], numbers[1])
      } else if numbers.count == 1 {
        round.counts[words[0]] = numbers[0]
      }
    }
    return round
  }

  /// Runs the C program and parses lines such as
  /// `get (page 4096)   203000 op/s   210000 op/cpu-s  …`.
  private func measure(_ limit: String) throws -> Round {
    var round = Round()
    let lines = try ProcessTimer.output([limit, work + "/limit", "\(Self.seconds)"])
    for line in lines.split(separator: "\n") {
      guard let end = line.range(of: "  ") ?? line.range(of: " op/s") else { continue }
      let words = line[end.upperBound...].split(separator: " ").map(String.init)
      guard words.count > 3, let perSecond = Double(words[0]),
        let perProcessorSecond = Double(words[2])
      else { continue }
      round.rates[String(line[..<end.lowerBound])] = (perSecond, perProcessorSecond)
    }
    return round
  }

  private func printTable(_ own: [Round], _ limits: [Round]) {
    print("### Images of \(ImageWork.imageBytes) bytes\n")
    print("| task | per second | per CPU second |\n|---|---|---|")
    func row(_ rounds: [Round], _ name: String, _ who: String) {
      let rates = rounds.compactMap { $0.rates[name] }
      if rates.isEmpty { return }
      print(
        "| \(who): \(name) | \(Report.text(rates.map(\.perSecond).median, 0)) "
          + "| \(Report.text(rates.map(\.perProcessorSecond).median, 0)) |")
    }
    for name in [ImageWork.hits, ImageWork.puts, ImageWork.files] { row(own, name, "offers") }
    for name in [Self.limitHits] + Self.limitPuts + [Self.limitFiles] {
      row(limits, name, "C program")
    }
    let pages = own.compactMap { $0.counts["pages"] }.median
    print("\nReplacing an image writes \(Report.text(pages, 1)) pages.\n")
  }

  private func addGoals(_ own: [Round], _ limits: [Round], _ report: inout Report) {
    func ratio(_ name: String, _ others: [Round], _ otherNames: [String]) -> Double? {
      let ratios = zip(own, others).compactMap { own, other -> Double? in
        let best = otherNames.compactMap { other.rates[$0]?.perProcessorSecond }.max()
        guard let rate = own.rates[name], let best else { return nil }
        return rate.perProcessorSecond / best
      }
      return ratios.isEmpty ? nil : ratios.median
    }
    if let hits = ratio(ImageWork.hits, limits, [Self.limitHits]) {
      report.add("hits, to the C program with batched touches", hits, atLeast: 0.5)
    }
    if let files = ratio(ImageWork.hits, own, [ImageWork.files]) {
      print("Hits, to reading one of 50 files from disk: \(Report.text(files, 2))×.\n")
    }
    if let puts = ratio(ImageWork.puts, limits, Self.limitPuts) {
      report.add("put and evict, to the better C variant", puts, atLeast: 0.6)
    }
    func most(_ name: String) -> Double { own.compactMap { $0.counts[name] }.max() ?? 0 }
    report.add("write transactions for 10,000 hits", most("transactions"), atMost: 5, "")
    let growth = own.compactMap { round in
      round.counts["few"].flatMap { few in round.counts["many"].map { $0 / few } }
    }.max()
    report.add(
      "database file after 10,000 evictions, to the one after 100", growth ?? 0, atMost: 1)
  }
}
