import Glibc
import GlibcExtensions
import Synchronization

/// A program that runs as a process of its own. It gets no open file but its three streams, and no
/// signal that is held back in this process is held back in it.
package final class ChildProcess: Sendable {
  /// Where a stream of the program comes from or goes to.
  package enum Stream {
    case nothing
    /// An open file of this process, which may be closed once the program has started.
    case descriptor(Int32)

    package static let standardInput = Stream.descriptor(STDIN_FILENO)
    package static let standardOutput = Stream.descriptor(STDOUT_FILENO)
    package static let standardErrors = Stream.descriptor(STDERR_FILENO)
  }

  package let pid: pid_t
  /// How it ended and what it cost, once somebody has asked. Until then the number is its own, even if
  /// it has ended.
  private let end = Mutex<(status: Int32, usage: rusage)?>(nil)

  /// Starts a program.
  ///
  /// - Parameters:
  ///   - words: the program's path, or a name to be found in the folders of PATH, and its arguments. A
  ///     path that does not begin with a slash begins in `folder`.
  ///   - environment: its variables; nil for those of this process.
  ///   - folder: where it starts; nil for where this process is.
  ///   - errors: put in its place last, after `input` and `output`: none of the three can name a stream
  ///     of this process whose place was taken before.
  /// - Throws: `OffersError` with `notFound` when there is no such program, `invalidRequest` when it
  ///   cannot be started.
  package init(
    _ words: [String], environment: [String: String]? = nil, folder: String? = nil,
    input: Stream = .nothing, output: Stream = .nothing, errors: Stream = .nothing
  ) throws {
    // Whoever started this process may have had it ignored, and then nobody learns how a child ended.
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
    try check(posix_spawn_file_actions_addclosefrom_np(&actions, 3))
    if let folder { try check(posix_spawn_file_actions_addchdir_np(&actions, folder)) }

    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var none = sigset_t()
    sigemptyset(&none)
    posix_spawnattr_setsigmask(&attributes, &none)
    // A server ignores it, and what prints for a pager or into a pipe has to end with it.
    var standard = none
    sigaddset(&standard, SIGPIPE)
    posix_spawnattr_setsigdefault(&attributes, &standard)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))

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

  /// Waits until it ends.
  ///
  /// - Returns: the exit code, or the number of the signal that ended it, below zero.
  @discardableResult
  package func wait() -> Int32 {
    if let end = ending(WNOHANG) { return end.status }
    // It keeps its number until it is asked how it ended, so that no other process gets a signal
    // that is sent meanwhile.
    var information = siginfo_t()
    while waitid(P_PID, id_t(pid), &information, WEXITED | WNOWAIT) != 0, errno == EINTR {}
    return ending(0)?.status ?? Self.unknownStatus
  }

  package var isRunning: Bool { ending(WNOHANG) == nil }

  /// What it cost, children that it waited for included; nil while it runs.
  package var usage: rusage? { ending(WNOHANG)?.usage }

  /// Sends it a signal, unless it has ended.
  package func send(_ signal: Int32) {
    end.withLock { if $0 == nil { kill(pid, signal) } }
  }

  private func ending(_ options: Int32) -> (status: Int32, usage: rusage)? {
    end.withLock { end in
      if end != nil { return end }
      var status: Int32 = 0
      var usage = rusage()
      var found = pid_t()
      repeat { found = wait4(pid, &status, options, &usage) } while found < 0 && errno == EINTR
      if found == pid {
        let signal = status & 0x7F
        end = (signal == 0 ? status >> 8 & 0xFF : -signal, usage)
      } else if found < 0 {
        // Somebody else has asked for it.
        end = (Self.unknownStatus, usage)
      }
      return end
    }
  }

  /// What a shell says of a program that it could not run.
  private static let unknownStatus: Int32 = 127

  /// Runs a program to its end.
  ///
  /// - Returns: what it printed; nil when it failed, or printed more than it may.
  /// - Throws: `OffersError` when it cannot be started.
  package static func output(
    of words: [String], input: Stream = .nothing, limitBytes: Int = .max
  ) throws -> [UInt8]? {
    var ends: [Int32] = [0, 0]
    guard pipe(&ends) == 0 else { throw failure(words[0], errno) }
    let process: ChildProcess
    do {
      defer { close(ends[1]) }
      process = try ChildProcess(words, input: input, output: .descriptor(ends[1]))
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
    // Who goes on although nobody reads is told so.
    close(ends[0])
    return process.wait() == 0 && output.count <= limitBytes ? output : nil
  }
}
