import Glibc
import OffersCore

/// A program that was run to its end, and what it printed.
struct FinishedProgram {
  let status: Int32
  let output: [UInt8]
  let errors: String

  /// Runs a program.
  ///
  /// - Parameter input: what it reads from its standard input.
  /// - Returns: nil when there is no such program.
  static func run(_ words: [String], input: [UInt8] = []) throws -> FinishedProgram? {
    // Files without names, because a pipe that nobody empties would stop the program.
    guard let given = tmpfile(), let printed = tmpfile(), let told = tmpfile() else {
      throw OffersError(
        .storageFailed, "Could not make a temporary file: \(String(cString: strerror(errno))).")
    }
    defer { for file in [given, printed, told] { fclose(file) } }
    guard input.withUnsafeBytes({ FileBytes.write($0, to: fileno(given)) }),
      lseek(fileno(given), 0, SEEK_SET) == 0
    else { throw OffersError(.storageFailed, "Could not write a temporary file.") }
    let process: ChildProcess
    do {
      process = try ChildProcess(
        words, input: .descriptor(fileno(given)), output: .descriptor(fileno(printed)),
        errors: .descriptor(fileno(told)))
    } catch let error as OffersError where error.code == .notFound {
      return nil
    }
    let status = process.wait()
    return FinishedProgram(
      status: status, output: contents(of: fileno(printed)),
      errors: String(decoding: contents(of: fileno(told)), as: UTF8.self))
  }

  private static func contents(of descriptor: Int32) -> [UInt8] {
    lseek(descriptor, 0, SEEK_SET)
    var bytes: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 65_536)
    while case let count = read(descriptor, &piece, piece.count), count > 0 {
      bytes += piece[..<count]
    }
    return bytes
  }

  /// What it said went wrong, in one line.
  var reason: String {
    let lines = errors.split(scalar: "\n").joined(separator: " ")
    return lines.isEmpty ? "it ended with \(status)" : lines
  }
}
