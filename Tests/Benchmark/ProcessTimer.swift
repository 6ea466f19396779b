import ChildProcesses
import Foundation

/// The cost of running a process.
struct Cost {
  /// The wall-clock time in seconds.
  var wall: Double
  /// The user and system time of the process and the children it waited for, in seconds.
  var cpu: Double
  /// The peak resident memory in bytes. Never below that of this program, which the child inherits.
  var peakBytes: Int
}

/// A command to measure.
struct MeasuredCommand {
  let name: String
  let command: [String]
  /// Called before each run, not measured.
  let prepare: () throws -> Void
}

/// An error with a message for the user.
struct BenchmarkError: Error, CustomStringConvertible {
  let description: String
}

/// Measures processes in turns, A B C A B C, so that other load on the machine affects all of them.
/// Pending writes are flushed to the disk before each run, so that they do not slow it down.
struct ProcessTimer {
  let rounds: Int

  /// Returns the costs by the commands' names, one per round.
  func run(_ commands: [MeasuredCommand]) throws -> [String: [Cost]] {
    var costs: [String: [Cost]] = [:]
    for _ in 0..<rounds {
      for measured in commands {
        try measured.prepare()
        sync()
        costs[measured.name, default: []].append(try Self.time(measured.command))
      }
    }
    return costs
  }

  /// Runs a process to its end, and returns its standard output.
  ///
  /// - Throws: `BenchmarkError` when it fails.
  static func output(_ command: [String]) throws -> String {
    guard let output = try ChildProcess.output(of: command) else {
      throw BenchmarkError(description: "Failed: \(command.joined(separator: " "))")
    }
    return String(decoding: output, as: UTF8.self)
  }

  /// Runs a process to its end and discards its output.
  ///
  /// - Throws: `BenchmarkError` with the end of its standard error when it fails.
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
      // Without the log, the message names the command only.
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
  /// The median; 0 for an empty array.
  var median: Double {
    if isEmpty { return 0 }
    let sorted = sorted()
    let middle = count / 2
    return count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
  }
}
