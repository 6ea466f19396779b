import ChildProcesses
import Glibc
import OffersCore
import OffersPlatform

/// The exit status and the output of a program that has run.
struct FinishedProgram {
  let status: Int32
  let output: [UInt8]
  let errors: String

  /// Runs a program and waits for its end.
  ///
  /// - Parameters:
  ///   - words: the name of the program, and its arguments.
  ///   - input: the content of its standard input.
  /// - Returns: nil if the program does not exist.
  static func run(_ words: [String], input: [UInt8] = []) throws -> FinishedProgram? {
    // Unnamed files instead of pipes, because the program would block on a full pipe.
    guard let given = tmpfile(), let printed = tmpfile(), let told = tmpfile() else {
      throw OffersError(
        .storageFailed, "Could not make a temporary file: \(String(cString: strerror(errno))).")
    }
    defer { for file in [given, printed, told] { fclose(file) } }
    do {
      try input.withUnsafeBytes { try FileOperations.writeAll($0, to: fileno(given)) }
    } catch {
      throw OffersError(.storageFailed, "Could not write a temporary file.", cause: "\(error)")
    }
    guard lseek(fileno(given), 0, SEEK_SET) == 0 else {
      throw OffersError(.storageFailed, "Could not rewind a temporary file.")
    }
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

  /// The text that the program printed to standard error, in one line; if there is none, a text
  /// with the exit status.
  var reason: String {
    let lines = errors.split(scalar: "\n").joined(separator: " ")
    return lines.isEmpty ? "it exited with status \(status)" : lines
  }
}
