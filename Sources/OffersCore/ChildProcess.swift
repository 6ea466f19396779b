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
  /// How it ended, once somebody has asked. Until then the number is its own, even if it has ended.
  private let end = Mutex<Int32?>(nil)

  /// Starts a program.
  ///
  /// - Parameters:
  ///   - words: the program's path, or a name to be found in the folders of PATH, and its arguments.
  ///   - environment: its variables; nil for those of this process.
  ///   - folder: where it starts; nil for where this process is.
  /// - Throws: `OffersError` when it cannot be started.
  package init(
    _ words: [String], environment: [String: String]? = nil, folder: String? = nil,
    input: Stream = .nothing, output: Stream = .nothing, errors: Stream = .nothing
  ) throws {
    let arguments = words.map { strdup($0) }
    let variables = (environment ?? [:]).map { strdup("\($0.key)=\($0.value)") }
    defer { for text in arguments + variables { free(text) } }

    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    for (number, stream) in [input, output, errors].enumerated() {
      switch stream {
      case .nothing:
        posix_spawn_file_actions_addopen(&actions, Int32(number), "/dev/null", O_RDWR, 0)
      case .descriptor(let descriptor):
        posix_spawn_file_actions_adddup2(&actions, descriptor, Int32(number))
      }
    }
    posix_spawn_file_actions_addclosefrom_np(&actions, 3)
    if let folder { posix_spawn_file_actions_addchdir_np(&actions, folder) }

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
    let code =
      environment == nil
      ? posix_spawnp(&pid, words[0], &actions, &attributes, arguments + [nil], environ)
      : posix_spawnp(&pid, words[0], &actions, &attributes, arguments + [nil], variables + [nil])
    guard code == 0 else {
      throw OffersError(
        .notFound, "Could not start \(words[0]): \(String(cString: strerror(code))).")
    }
    self.pid = pid
  }

  /// Waits until it ends.
  ///
  /// - Returns: the exit code, or the number of the signal that ended it, below zero.
  @discardableResult
  package func wait() -> Int32 {
    // It keeps its number until it is asked how it ended, so that no other process gets a signal
    // that is sent meanwhile.
    var information = siginfo_t()
    while waitid(P_PID, id_t(pid), &information, WEXITED | WNOWAIT) != 0, errno == EINTR {}
    return ending(0) ?? 0
  }

  package var isRunning: Bool { ending(WNOHANG) == nil }

  /// Sends it a signal, unless it has ended.
  package func send(_ signal: Int32) {
    end.withLock { if $0 == nil { kill(pid, signal) } }
  }

  private func ending(_ options: Int32) -> Int32? {
    end.withLock { end in
      var status: Int32 = 0
      if end == nil, waitpid(pid, &status, options) == pid {
        let signal = status & 0x7F
        end = signal == 0 ? status >> 8 & 0xFF : -signal
      }
      return end
    }
  }

  /// Runs a program to its end.
  ///
  /// - Returns: what it printed; nil when it failed, or printed more than it may.
  /// - Throws: `OffersError` when it cannot be started.
  package static func output(
    of words: [String], input: Stream = .nothing, limitBytes: Int = .max
  ) throws -> [UInt8]? {
    var ends: [Int32] = [0, 0]
    guard pipe(&ends) == 0 else {
      throw OffersError(
        .notFound, "Could not start \(words[0]): \(String(cString: strerror(errno))).")
    }
    defer { close(ends[0]) }
    let process: ChildProcess
    do {
      defer { close(ends[1]) }
      process = try ChildProcess(words, input: input, output: .descriptor(ends[1]))
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
    return process.wait() == 0 && output.count <= limitBytes ? output : nil
  }
}
