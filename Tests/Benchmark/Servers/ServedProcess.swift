import ChildProcesses
import Foundation

/// A server that runs during the benchmark.
final class ServedProcess {
  private let process: ChildProcess

  /// Starts the server, and waits until it responds. Polls it at most 200 times, 50 ms apart.
  ///
  /// - Parameter url: the URL to poll.
  /// - Throws: `BenchmarkError` when the server does not respond, or exits.
  init(_ command: [String], until url: String) throws {
    process = try ChildProcess(command)
    for _ in 0..<200 {
      usleep(50_000)
      // If the port is taken, another server may respond in its place.
      guard process.isRunning else { break }
      if (try? Self.fetch(url)) != nil { return }
    }
    throw BenchmarkError(description: "No response from: \(command.joined(separator: " "))")
  }

  deinit {
    process.send(SIGTERM)
    // Some servers wait for their clients indefinitely, so this one is killed after 3 seconds.
    for _ in 0..<300 where process.isRunning { usleep(10_000) }
    process.send(SIGKILL)
    process.wait()
  }

  /// Requests a URL, and returns the response's header fields by lower-case names, and its body.
  ///
  /// - Throws: `BenchmarkError` when there is no response, or its status is an error.
  static func fetch(_ url: String) throws -> (fields: [String: String], body: String) {
    let text = try ProcessTimer.output(["/usr/bin/env", "curl", "-sSif", url])
    let parts = text.split(separator: "\r\n\r\n", maxSplits: 1)
    guard parts.count == 2 else { throw BenchmarkError(description: "No response: \(url)") }
    var fields: [String: String] = [:]
    for line in parts[0].split(separator: "\r\n").dropFirst() {
      let pair = line.split(separator: ":", maxSplits: 1)
      guard pair.count == 2 else { continue }
      fields[pair[0].lowercased()] = pair[1].trimmingCharacters(in: .whitespaces)
    }
    return (fields, String(parts[1]))
  }

  /// Returns a memory size from /proc in MiB: `VmRSS` (resident) or `VmHWM` (peak).
  func memory(_ name: String) throws -> Double {
    let path = "/proc/\(process.pid)/status"
    let text = try String(contentsOfFile: path, encoding: .utf8)
    let line = text.split(separator: "\n").first { $0.hasPrefix(name + ":") }
    let digits = line?.filter(\.isNumber) ?? ""
    return (Double(digits) ?? 0) / 1024
  }
}
