import Foundation
import OffersCore

/// A server that runs beside the benchmark.
final class ServedProcess {
  private let process: ChildProcess

  /// Starts it, and waits until it answers.
  ///
  /// - Parameter url: what it has to answer.
  init(_ command: [String], until url: String) throws {
    process = try ChildProcess(command)
    for _ in 0..<200 {
      usleep(50_000)
      // Another one may answer in its place, where the port is taken.
      guard process.isRunning else { break }
      if (try? Self.fetch(url)) != nil { return }
    }
    throw BenchmarkError(description: "It does not answer: \(command.joined(separator: " "))")
  }

  deinit {
    process.send(SIGTERM)
    // Some wait for ever for their clients.
    for _ in 0..<300 where process.isRunning { usleep(10_000) }
    process.send(SIGKILL)
    process.wait()
  }

  /// What a server answers: its fields by their names in small letters, and the body.
  static func fetch(_ url: String) throws -> (fields: [String: String], body: String) {
    let text = try ProcessTimer.output(["/usr/bin/env", "curl", "-sSif", url])
    let parts = text.split(separator: "\r\n\r\n", maxSplits: 1)
    guard parts.count == 2 else { throw BenchmarkError(description: "No answer: \(url)") }
    var fields: [String: String] = [:]
    for line in parts[0].split(separator: "\r\n").dropFirst() {
      let pair = line.split(separator: ":", maxSplits: 1)
      guard pair.count == 2 else { continue }
      fields[pair[0].lowercased()] = pair[1].trimmingCharacters(in: .whitespaces)
    }
    return (fields, String(parts[1]))
  }

  /// Resident memory in MiB, now or at its most.
  func memory(_ name: String) throws -> Double {
    let path = "/proc/\(process.pid)/status"
    let text = try String(contentsOfFile: path, encoding: .utf8)
    let line = text.split(separator: "\n").first { $0.hasPrefix(name + ":") }
    let digits = line?.filter(\.isNumber) ?? ""
    return (Double(digits) ?? 0) / 1024
  }
}
