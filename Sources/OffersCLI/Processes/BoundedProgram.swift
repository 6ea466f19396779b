import Glibc

/// Runs a program that reads the bytes of others, such as images of untrusted servers, with limits on
/// its time and memory.
package struct BoundedProgram: Sendable {
  /// The program's path.
  private let program: String
  /// The most memory that it may map, in KiB.
  private let memoryKilobytes: Int
  /// The most bytes that it may print.
  private let outputBytes: Int

  /// The most seconds that it may take, of the processor and on the clock.
  private let seconds: Int

  package init(_ program: String, memoryKilobytes: Int, outputBytes: Int, seconds: Int = 5) {
    self.program = program
    self.memoryKilobytes = memoryKilobytes
    self.outputBytes = outputBytes
    self.seconds = seconds
  }

  /// The output of a run; nil if the program failed, reached a limit, or could not be started.
  package func output(_ arguments: [String], input bytes: [UInt8] = []) -> [UInt8]? {
    guard let file = Self.file(bytes) else { return nil }
    defer { fclose(file) }
    let limits = "ulimit -t \(seconds); ulimit -v \(memoryKilobytes); ulimit -c 0"
    let words = [
      "/bin/sh", "-c", "\(limits); exec timeout \(seconds) \"$0\" \"$@\"", program,
    ]
    // Of no use to the caller is why there is no output: the input is to blame, or the system is.
    return try? ChildProcess.output(
      of: words + arguments, input: .descriptor(fileno(file)), limitBytes: outputBytes)
  }

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
