import Foundation
import OffersCore

/// What one run of a whole process cost.
struct Cost {
  /// From start to end, in seconds.
  var wall: Double
  /// User and system time of the process and the children it waited for, in seconds.
  var cpu: Double
  /// The largest resident memory, in bytes. Never below this program's own.
  var peakBytes: Int
}

/// A command to be timed, and what must be done before each run of it.
struct Contender {
  let name: String
  let command: [String]
  /// Done before each run, not timed.
  let prepare: () throws -> Void
}

/// What went wrong, for a person.
struct BenchmarkError: Error, CustomStringConvertible {
  let description: String
}

/// Times whole processes in turn, A B C A B C, so that a busy moment falls on all of them. What was
/// written before each is on the disk first, so that none runs beside the writing of another's files.
struct ProcessTimer {
  let rounds: Int

  /// The costs of each contender, a round each.
  func run(_ contenders: [Contender]) throws -> [String: [Cost]] {
    var costs: [String: [Cost]] = [:]
    for _ in 0..<rounds {
      for contender in contenders {
        try contender.prepare()
        sync()
        costs[contender.name, default: []].append(try Self.time(contender.command))
      }
    }
    return costs
  }

  /// What a process prints to standard output.
  static func output(_ command: [String]) throws -> String {
    guard let output = try ChildProcess.output(of: command) else {
      throw BenchmarkError(description: "Failed: \(command.joined(separator: " "))")
    }
    return String(decoding: output, as: UTF8.self)
  }

  /// Runs one process to its end, its output thrown away.
  ///
  /// - Throws: `BenchmarkError` with what it printed to standard error when it fails.
  static func time(_ command: [String]) throws -> Cost {
    let log = NSTemporaryDirectory() + "offers-benchmark-\(getpid()).log"
    let errors = open(log, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    guard errors >= 0 else { throw BenchmarkError(description: "Could not write \(log).") }
    defer { close(errors) }
    let begun = ContinuousClock.now
    let process = try ChildProcess(command, errors: .descriptor(errors))
    let status = process.wait()
    let wall = (ContinuousClock.now - begun) / .seconds(1)
    guard status == 0, let usage = process.usage else {
      // Without the log there is still the command to name.
      let text = (try? String(contentsOfFile: log, encoding: .utf8)) ?? ""
      throw BenchmarkError(
        description: "Failed: \(command.joined(separator: " "))\n\(text.suffix(400))")
    }
    unlink(log)
    func seconds(_ time: timeval) -> Double { Double(time.tv_sec) + Double(time.tv_usec) / 1e6 }
    return Cost(
      wall: wall, cpu: seconds(usage.ru_utime) + seconds(usage.ru_stime),
      peakBytes: Int(usage.ru_maxrss) * 1024)
  }
}

extension [Cost] {
  func median(_ value: (Cost) -> Double) -> Double { map(value).median }
}

extension [Double] {
  /// The middle value; 0 for none.
  var median: Double {
    if isEmpty { return 0 }
    let sorted = sorted()
    let middle = count / 2
    return count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
  }
}
