import Foundation
import Glibc
import OffersCore
import SpawnShim
import Synchronization

/// A child process. It inherits no file descriptors except its three standard streams, and starts
/// with an empty signal mask.
package final class ChildProcess: Sendable {
  /// The source or destination of one of the child's standard streams.
  package enum Stream {
    case nothing
    /// An open file descriptor of this process, which may be closed once the child has started.
    case descriptor(Int32)

    package static let standardInput = Stream.descriptor(STDIN_FILENO)
    package static let standardOutput = Stream.descriptor(STDOUT_FILENO)
    package static let standardErrors = Stream.descriptor(STDERR_FILENO)
  }

  package let pid: pid_t
  /// The exit status; nil until the child has been reaped. Until then its
  /// process id is not reused, even if it has exited.
  private let end = Mutex<Int32?>(nil)

  /// Starts a child process.
  ///
  /// - Parameters:
  ///   - words: the program's path, or a name to look up in this process's PATH, followed by its
  ///     arguments. A relative path is resolved against `folder`.
  ///   - environment: the child's environment; nil to inherit that of this process.
  ///   - folder: the working directory; nil to inherit that of this process.
  ///   - input: the source of standard input. The descriptors 0, 1 and 2 of the child are replaced
  ///     in this order. So a later stream must not use an earlier one of them, unless that one
  ///     stayed the same.
  ///   - leadsGroup: whether the child leads a process group of its own, to which `send(toGroup:)` sends signals.
  /// - Throws: `OffersError` with `notFound` when the program does not exist, `invalidRequest` when
  ///   it cannot be started.
  package init(
    _ words: [String], environment: [String: String]? = nil, folder: String? = nil,
    input: Stream = .nothing, output: Stream = .nothing, errors: Stream = .nothing,
    leadsGroup: Bool = false
  ) throws {
    // If SIGCHLD was inherited as ignored, exit statuses are discarded (POSIX wait). Reset it.
    signal(SIGCHLD, SIG_DFL)
    let arguments = words.map { strdup($0) }
    let variables = (environment ?? [:]).map { strdup("\($0.key)=\($0.value)") }
    defer { for text in arguments + variables { free(text) } }

    func check(_ code: Int32) throws {
      if code != 0 { throw Self.failure(words[0], code) }
    }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    for (number, stream) in zip(Int32(0)..., [input, output, errors]) {
      switch stream {
      case .nothing:
        try check(posix_spawn_file_actions_addopen(&actions, number, "/dev/null", O_RDWR, 0))
      case .descriptor(let descriptor):
        try check(posix_spawn_file_actions_adddup2(&actions, descriptor, number))
      }
    }
    try check(offers_spawn_close_from(&actions, 3))
    if let folder { try check(offers_spawn_change_folder(&actions, folder)) }

    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var none = sigset_t()
    sigemptyset(&none)
    posix_spawnattr_setsigmask(&attributes, &none)
    // A server ignores SIGPIPE, but a child that writes into a closed pipe must be ended by it.
    var standard = none
    sigaddset(&standard, SIGPIPE)
    posix_spawnattr_setsigdefault(&attributes, &standard)
    // The group has the process id of the child: 0 is the default of its attribute.
    let group = leadsGroup ? POSIX_SPAWN_SETPGROUP : 0
    posix_spawnattr_setflags(
      &attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | group))

    var pid = pid_t()
    try check(
      environment == nil
        ? posix_spawnp(&pid, words[0], &actions, &attributes, arguments + [nil], environ)
        : posix_spawnp(&pid, words[0], &actions, &attributes, arguments + [nil], variables + [nil]))
    self.pid = pid
  }

  private static func failure(_ name: String, _ code: Int32) -> OffersError {
    OffersError(
      code == ENOENT ? .notFound : .invalidRequest,
      "Could not start \(name): \(String(cString: strerror(code))).")
  }

  /// Waits until the child exits.
  ///
  /// - Returns: the exit code, or the negated number of the signal that terminated the child.
  @discardableResult
  package func wait() -> Int32 {
    if let status = ending(WNOHANG) { return status }
    // WNOWAIT leaves the child unreaped, so its process id cannot be reused while another thread
    // calls `send(_:)`.
    var information = siginfo_t()
    while waitid(P_PID, id_t(pid), &information, WEXITED | WNOWAIT) != 0, errno == EINTR {}
    return ending(0) ?? Self.unknownStatus
  }

  package var isRunning: Bool { ending(WNOHANG) == nil }

  /// Whether the child has exited. Unlike `isRunning`, this does not reap it.
  package var hasExited: Bool {
    end.withLock { end in
      if end != nil { return true }
      var information = siginfo_t()
      return waitid(P_PID, id_t(pid), &information, WEXITED | WNOWAIT | WNOHANG) == 0
        && information.si_signo == SIGCHLD
    }
  }

  /// Sends a signal to the child, unless it has been reaped.
  package func send(_ signal: Int32) {
    end.withLock { if $0 == nil { kill(pid, signal) } }
  }

  /// Sends a signal to the process group that the child leads, unless the child has been reaped: then the
  /// number may be another group's.
  package func send(toGroup signal: Int32) {
    end.withLock { if $0 == nil { kill(-pid, signal) } }
  }

  private func ending(_ options: Int32) -> Int32? {
    end.withLock { end in
      if end != nil { return end }
      var status: Int32 = 0
      var found = pid_t()
      repeat { found = waitpid(pid, &status, options) } while found < 0 && errno == EINTR
      if found == pid {
        let signal = status & 0x7F
        end = signal == 0 ? status >> 8 & 0xFF : -signal
      } else if found < 0 {
        // The child was reaped elsewhere.
        end = Self.unknownStatus
      }
      return end
    }
  }

  /// The status of a child whose exit status is not known, because it was reaped elsewhere.
  private static let unknownStatus: Int32 = 127

  /// Runs a program until it exits.
  ///
  /// - Returns: its standard output; nil when it failed or wrote more than `limitBytes`.
  package static func output(
    of words: [String], environment: [String: String]? = nil, input: Stream = .nothing,
    limitBytes: Int = .max
  ) throws -> [UInt8]? {
    let (status, output) = try run(
      words, environment: environment, input: input, limitBytes: limitBytes)
    return status == 0 && output.count <= limitBytes ? output : nil
  }

  /// Runs a program until it exits, and ends it if it writes more than `limitBytes`.
  ///
  /// - Returns: its exit status, as that of `wait`, and its standard output.
  fileprivate static func run(
    _ words: [String], environment: [String: String]? = nil, input: Stream,
    errors: Stream = .nothing, limitBytes: Int = .max
  ) throws -> (status: Int32, output: [UInt8]) {
    var ends: [Int32] = [0, 0]
    guard pipe(&ends) == 0 else { throw failure(words[0], errno) }
    let process: ChildProcess
    do {
      defer { close(ends[1]) }
      process = try ChildProcess(
        words, environment: environment, input: input, output: .descriptor(ends[1]), errors: errors)
    } catch {
      close(ends[0])
      throw error
    }
    var output: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 65_536)
    while output.count <= limitBytes {
      let count = read(ends[0], &piece, piece.count)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { break }
      output += piece[..<count]
    }
    if output.count > limitBytes { process.send(SIGTERM) }
    // A child that keeps writing receives SIGPIPE.
    close(ends[0])
    return (process.wait(), output)
  }
}

/// A temporary file without a name, as the standard stream of a child that would block on a full pipe.
final class UnnamedFile {
  private let file: UnsafeMutablePointer<FILE>

  var stream: ChildProcess.Stream { .descriptor(fileno(file)) }

  init(_ bytes: [UInt8] = []) throws {
    guard let file = tmpfile() else { throw Self.failure }
    self.file = file
    guard fwrite(bytes, 1, bytes.count, file) == bytes.count, fflush(file) == 0 else {
      throw Self.failure
    }
    rewind(file)
  }

  deinit { fclose(file) }

  private static var failure: OffersError {
    OffersError(.storageFailed, "A temporary file for another program could not be written.")
  }

  /// The bytes that the child has written to the file so far.
  func read() -> [UInt8] {
    lseek(fileno(file), 0, SEEK_SET)
    return Array(
      FileHandle(fileDescriptor: fileno(file), closeOnDealloc: false).readDataToEndOfFile())
  }
}

/// The exit status and the output of a program that has run.
package struct FinishedProgram {
  package let status: Int32
  package let output: [UInt8]
  package let errors: String

  /// Runs a program of this system, and waits for its end.
  ///
  /// - Returns: nil if the program does not exist.
  package static func run(_ words: [String], input: [UInt8] = []) throws -> FinishedProgram? {
    let (given, told) = (try UnnamedFile(input), try UnnamedFile())
    do {
      // A file is closed with its last use, which must not be before the program has started.
      let (status, output) = try withExtendedLifetime(given) {
        try ChildProcess.run(words, input: given.stream, errors: told.stream)
      }
      return FinishedProgram(
        status: status, output: output, errors: String(decoding: told.read(), as: UTF8.self))
    } catch let error as OffersError where error.code == .notFound {
      return nil
    }
  }

  /// The text that the program printed to standard error, in one line; if there is none, a text
  /// with the exit status.
  package var reason: String {
    let lines = errors.split(scalar: "\n").joined(separator: " ")
    return lines.isEmpty ? "it exited with status \(status)" : lines
  }
}

/// Runs a program that reads the bytes of others, such as images of untrusted servers, with limits on
/// its time and memory.
package struct BoundedProgram: Sendable {
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
  package func output(_ arguments: [String], input bytes: [UInt8] = []) throws -> [UInt8]? {
    let file = try UnnamedFile(bytes)
    let limits =
      "ulimit -t \(seconds); ulimit -v \(memoryKilobytes); ulimit -c 0; ulimit -f 0; ulimit -n 64"
    // `ulimit -t` limits the processor time, `timeout` the time that passes, which is longer on a busy machine.
    let words = [
      "/bin/sh", "-c", "\(limits); exec timeout \(4 * seconds) \"$0\" \"$@\"", program,
    ]
    return try withExtendedLifetime(file) {
      try ChildProcess.output(
        of: words + arguments, environment: Self.environment, input: file.stream,
        limitBytes: outputBytes)
    }
  }

  private static let environment = [
    "PATH": ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin", "LC_ALL": "C.UTF-8",
  ]
}
