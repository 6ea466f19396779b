import Foundation

/// Measures the program `offers`, the feed reader and the image repository, each in processes of
/// their own. Run by `Scripts/benchmark`.
@main
struct Benchmark {
  static let usage = """
    usage: Scripts/benchmark sync [--sizes 132,100000,1000000] [--rounds 7]
           Scripts/benchmark read [--rounds 7]
           Scripts/benchmark refresh [--rounds 7]
           Scripts/benchmark images [--rounds 7]
           Scripts/benchmark find [--sizes 100000,1000000] [--rounds 7]
           Scripts/benchmark serve [--rounds 7] [--load-seconds 300]
           Scripts/benchmark users [--rounds 7]
    """

  static func main() async {
    do {
      try await run(Array(CommandLine.arguments.dropFirst()))
    } catch let error as Usage {
      FileHandle.standardError.write(Data("benchmark: \(error.text)\n\(usage)\n".utf8))
      exit(64)
    } catch {
      FileHandle.standardError.write(Data("benchmark: \(error)\n".utf8))
      exit(1)
    }
  }

  private struct Usage: Error {
    let text: String
  }

  private static func run(_ words: [String]) async throws {
    if words.first == "work" {
      if words.dropFirst().first == "images", words.count == 4, let seconds = Double(words[3]) {
        return try await ImageWork(folder: words[2], seconds: seconds).run()
      }
      guard words.count > 1, let work = ReadWork(rawValue: words[1]) else {
        throw Usage(text: "name what to measure")
      }
      return try work.run(words.dropFirst(2))
    }
    guard let what = words.first,
      ["sync", "read", "read-files", "refresh", "images", "find", "serve", "users"].contains(what)
    else {
      throw Usage(text: "name what to measure")
    }
    var sizes = what == "find" ? [100_000, 1_000_000] : [132, 100_000, 1_000_000]
    var rounds = 7
    var loadSeconds = 300
    var rest = words.dropFirst()
    while let option = rest.popFirst() {
      guard let value = rest.popFirst() else { throw Usage(text: "\(option) needs a value") }
      switch option {
      case "--sizes" where what == "sync" || what == "find":
        sizes = try value.split(separator: ",").map { try number(String($0)) }
      case "--load-seconds" where what == "serve":
        loadSeconds = try number(value)
      case "--rounds":
        rounds = try number(value)
      default:
        throw Usage(text: "unknown option \(option)")
      }
    }
    let environment = ProcessInfo.processInfo.environment
    guard let offers = environment["OFFERS_BINARY"] else {
      throw Usage(text: "OFFERS_BINARY does not name the program to measure")
    }
    let scratch = environment["BENCH"] ?? NSTemporaryDirectory() + "offers-bench"
    let peers = Peers(folder: environment["OFFERS_PEERS"] ?? "", scratch: scratch)
    let read = ReadBenchmark(offers: offers, scratch: scratch, peers: peers, rounds: rounds)
    if what == "read-files" { return try read.makeFiles() }
    if what == "read" { return try read.run() }
    if what == "images" {
      return try ImageBenchmark(scratch: scratch, peers: peers, rounds: rounds).run()
    }
    if what == "find" {
      return try FindBenchmark(
        offers: offers, scratch: scratch, peers: peers, sizes: sizes, rounds: rounds
      ).run()
    }
    if what == "serve" {
      return try await ServeBenchmark(
        offers: offers, scratch: scratch, peers: peers, rounds: rounds, loadSeconds: loadSeconds
      ).run()
    }
    if what == "users" {
      return try await UsersBenchmark(
        offers: offers, scratch: scratch, peers: peers, rounds: rounds
      ).run()
    }
    if what == "refresh" {
      return try RefreshBenchmark(offers: offers, scratch: scratch, rounds: rounds).run()
    }
    try SyncBenchmark(
      offers: offers, scratch: scratch, peers: peers, sizes: sizes, rounds: rounds
    ).run()
  }

  private static func number(_ text: String) throws -> Int {
    guard let number = Int(text), number > 0 else {
      throw Usage(text: "\(text) is not a number above 0")
    }
    return number
  }
}
