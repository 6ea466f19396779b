import ChildProcesses
import Glibc
import OffersCore

enum Terminal {
  /// Whether standard output goes to a terminal, directly or through a pager.
  static var isOutput: Bool {
    let context = ProcessContext.current
    return context.output == STDOUT_FILENO ? isStandardOutput : context.isTerminal
  }

  /// Whether messages, which are printed to standard error, go to a terminal.
  static var isError: Bool {
    let context = ProcessContext.current
    return context.errors == STDERR_FILENO ? isStandardError : context.isTerminal
  }

  private static let isStandardOutput = isatty(STDOUT_FILENO) == 1
  private static let isStandardError = isatty(STDERR_FILENO) == 1

  /// Whether a line on standard error can be erased and redrawn.
  static var canRedraw: Bool {
    isError && ProcessContext.variable("TERM") != "dumb"
  }

  /// The width in columns of the terminal to which the output goes, directly or through a pager;
  /// nil if it goes elsewhere, where text is not truncated.
  static var width: Int? {
    guard isOutput else { return nil }
    let output = ProcessContext.current.output
    return output == STDOUT_FILENO ? standardWidth : columns(of: output)
  }

  private static let standardWidth = columns(of: STDOUT_FILENO)

  /// The width in columns of the terminal at standard error; 80 if it is not known.
  static var errorWidth: Int { columns(of: ProcessContext.current.errors) }

  private static func columns(of descriptor: Int32) -> Int {
    if let columns = ProcessContext.variable("COLUMNS").flatMap({ Int($0) }), columns >= 20 {
      return min(columns, 10_000)
    }
    var size = winsize()
    guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col >= 20 else { return 80 }
    return Int(size.ws_col)
  }
}

/// A running pager such as `less`, which shows long output page by page.
///
/// The command is `$OFFERS_PAGER`, else `$PAGER`, else `less`; an empty variable or `cat` means no
/// pager, and so does `TERM=dumb`. Unless `$LESS` is set, `less` gets the options FRX: it exits at
/// once if the output fits the screen, passes colors through, and does not clear the screen.
struct Pager: ~Copyable {
  private let process: ChildProcess
  /// A duplicate of the original standard output.
  private let output: Int32
  private let interruption: __sighandler_t?
  private let brokenPipe: __sighandler_t?

  /// Starts the pager and redirects standard output to it until `finish`.
  ///
  /// - Returns: nil if no pager is wanted or none can be started; standard output is then
  ///   unchanged.
  init?(_ variable: (String) -> String?) {
    let command = variable("OFFERS_PAGER") ?? variable("PAGER") ?? "less"
    guard !command.isEmpty, command != "cat", variable("TERM") != "dumb" else { return nil }
    var ends: [Int32] = [0, 0]
    guard pipe(&ends) == 0 else { return nil }
    defer { for end in ends { close(end) } }
    let words = Self.words(command, hasOptions: variable("LESS") != nil)
    let output = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1)
    guard output >= 0 else { return nil }
    guard
      let process = try? ChildProcess(
        words, input: .descriptor(ends[0]), output: .standardOutput, errors: .standardErrors)
    else {
      close(output)
      return nil
    }
    self.process = process
    self.output = output
    _ = Terminal.width  // Computed once, while standard output is still the terminal.
    dup2(ends[1], STDOUT_FILENO)
    // The pager handles interrupts. Once it has exited, writing fails with EPIPE.
    interruption = signal(SIGINT, SIG_IGN)
    brokenPipe = signal(SIGPIPE, SIG_IGN)
  }

  /// Restores standard output, which closes the pipe, waits until the pager exits, and restores the
  /// signal handlers.
  consuming func finish() -> Bool {
    // This closes the last descriptor of the write end, so that the pager reads the end of the
    // file.
    dup2(output, STDOUT_FILENO)
    close(output)
    let isShown = process.wait() == 0
    signal(SIGINT, interruption)
    signal(SIGPIPE, brokenPipe)
    return isShown
  }

  /// The error for a pager that exited with another status than 0.
  static let failure = OffersError(
    .invalidRequest, "The pager ended with an error.",
    hint: "Name another one with PAGER, or none with --no-pager.")

  private static func words(_ command: String, hasOptions: Bool) -> [String] {
    // The script falls back to `cat` if the command is malformed or not found, so that the output
    // is not lost.
    let script = """
      (eval "set -- $1") 2>/dev/null || exec cat
      command=$1
      eval "set -- $1"
      command -v "$1" >/dev/null 2>&1 || exec cat
      eval "exec $command"
      """
    return [
      "/bin/sh", "-c", hasOptions ? script : "LESS=FRX; export LESS\n" + script, "sh", command,
    ]
  }
}
