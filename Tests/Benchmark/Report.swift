import Foundation

/// Prints Markdown tables, and collects the goals with what was reached.
struct Report {
  private(set) var goals: [(goal: String, reached: String, isMet: Bool)] = []

  /// Prints the processor, the number of cores and the kernel's release.
  func printMachine() {
    let processor = Self.firstLine(of: "/proc/cpuinfo", with: "model name") ?? "unknown processor"
    var system = utsname()
    uname(&system)
    let kernel = withUnsafeBytes(of: &system.release) { bytes in
      String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
    }
    print(
      "Machine: \(processor), \(ProcessInfo.processInfo.processorCount) cores, Linux \(kernel)\n")
  }

  private static func firstLine(of path: String, with key: String) -> String? {
    // Without the file, the report names an unknown processor.
    let text = (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
    return text.split(separator: "\n").first { $0.hasPrefix(key) }?
      .split(separator: ":").last.map { $0.trimmingCharacters(in: .whitespaces) }
  }

  /// Prints a table of costs: the medians, and for times the minimum of all rounds in parentheses.
  /// Median and minimum differ widely when the machine has other load. The CPU ratio is the median
  /// of each round's ratio to the first command.
  ///
  /// - Parameter sizes: the sizes of databases in bytes, by the commands' names.
  func printTable(
    _ title: String, _ names: [String], _ costs: [String: [Cost]], sizes: [String: Int] = [:]
  ) {
    print("### \(title)\n")
    print("| what | CPU s (min) | wall s (min) | peak MB | database MB | CPU ratio |")
    print("|---|---|---|---|---|---|")
    for name in names {
      guard let runs = costs[name], let first = costs[names[0]] else { continue }
      let row = [
        name, Self.medianAndLeast(runs, \.cpu), Self.medianAndLeast(runs, \.wall),
        Self.text(runs.median { Double($0.peakBytes) } / 1e6, 1),
        sizes[name].map { Self.text(Double($0) / 1e6, 1) } ?? "",
        Self.text(Self.ratio(runs, first), 2),
      ]
      print("| \(row.joined(separator: " | ")) |")
    }
    print("")
  }

  private static func medianAndLeast(_ runs: [Cost], _ value: (Cost) -> Double) -> String {
    "\(text(runs.median(value), 4)) (\(text(runs.map(value).min() ?? 0, 4)))"
  }

  static func ratio(_ runs: [Cost], _ base: [Cost]) -> Double {
    zip(runs, base).map { $0.cpu / max($1.cpu, 1e-4) }.median
  }

  mutating func add(_ goal: String, _ value: Double, atMost limit: Double, _ unit: String = "×") {
    goals.append(
      (
        goal + " ≤ \(Self.text(limit, limit < 0.1 ? 2 : 1))\(unit)",
        Self.text(value, limit < 0.1 ? 3 : 2) + unit, value <= limit
      ))
  }

  mutating func add(_ goal: String, _ value: Double, atLeast limit: Double) {
    goals.append((goal + " ≥ \(Self.text(limit, 1))×", Self.text(value, 2) + "×", value >= limit))
  }

  func printGoals() {
    print("### Goals\n\n| goal | reached | |\n|---|---|---|")
    for goal in goals {
      print("| \(goal.goal) | \(goal.reached) | \(goal.isMet ? "yes" : "**no**") |")
    }
  }

  static func text(_ value: Double, _ places: Int) -> String {
    String(format: "%.\(places)f", value)
  }
}
