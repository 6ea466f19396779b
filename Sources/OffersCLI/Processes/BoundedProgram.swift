import Foundation
import Glibc
import OffersCore

/// Runs a program that reads the bytes of others, such as images of untrusted servers, with limits on
/// its time and memory.
package struct BoundedProgram: Sendable {
  /// The program's path.
  private let program: String
  /// The most memory that it may map, in KiB.
  private let memoryKilobytes: Int
  /// The most bytes that it may print.
  private let outputBytes: Int

  /// The most seconds of the processor that it may take; on the clock four times as many.
  private let seconds: Int

  package init(_ program: String, memoryKilobytes: Int, outputBytes: Int, seconds: Int = 5) {
    self.program = program
    self.memoryKilobytes = memoryKilobytes
    self.outputBytes = outputBytes
    self.seconds = seconds
  }

  /// Runs the program with an environment that has nothing of this process's own but PATH, because
  /// variables may be secrets.
  ///
  /// - Returns: the output; nil if the program failed or reached a limit.
  /// - Throws: `OffersError` if it could not be started.
  package func output(_ arguments: [String], input bytes: [UInt8] = []) throws -> [UInt8]? {
    guard let file = Self.file(bytes) else {
      throw OffersError(
        .storageFailed, "A temporary file for the input of \(program) could not be written.")
    }
    defer { fclose(file) }
    let limits =
      "ulimit -t \(seconds); ulimit -v \(memoryKilobytes); ulimit -c 0; ulimit -f 0; ulimit -n 64"
    // `ulimit -t` limits the processor time, `timeout` the time that passes, which is longer on a busy machine.
    let words = [
      "/bin/sh", "-c", "\(limits); exec timeout \(4 * seconds) \"$0\" \"$@\"", program,
    ]
    return try ChildProcess.output(
      of: words + arguments, environment: Self.environment, input: .descriptor(fileno(file)),
      limitBytes: outputBytes)
  }

  private static let environment = [
    "PATH": ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin", "LC_ALL": "C.UTF-8",
  ]

  /// Writes the bytes to an unnamed temporary file, and rewinds it.
  private static func file(_ bytes: [UInt8]) -> UnsafeMutablePointer<FILE>? {
    guard let file = tmpfile() else { return nil }
    guard fwrite(bytes, 1, bytes.count, file) == bytes.count, fflush(file) == 0 else {
      fclose(file)
      return nil
    }
    rewind(file)
    return file
  }
}
