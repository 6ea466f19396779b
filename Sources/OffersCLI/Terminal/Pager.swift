import Glibc
import OffersCore

/// A program such as `less` that shows long output page by page.
///
/// `$OFFERS_PAGER`, else `$PAGER`, else `less`; an empty one is none. Output that fits the screen is
/// simply printed, because `less` is told so unless `$LESS` says otherwise.
struct Pager: ~Copyable {
  private let process: ChildProcess
  /// Where standard output went before.
  private let output: Int32
  private let interruption: __sighandler_t?
  private let brokenPipe: __sighandler_t?

  /// Sends standard output through the pager until `finish`.
  ///
  /// - Returns: nil where none is wanted or can be had; output then goes where it went.
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
    _ = Terminal.width  // Asked while standard output is the terminal.
    dup2(ends[1], STDOUT_FILENO)
    // The pager takes interrupts; what it is shown ends when it does.
    interruption = signal(SIGINT, SIG_IGN)
    brokenPipe = signal(SIGPIPE, SIG_IGN)
  }

  /// Waits until the person has seen enough, or for a pager that takes no more to end, and sends
  /// standard output where it went before.
  ///
  /// - Returns: whether the pager worked.
  consuming func finish() -> Bool {
    // Nobody writes into the pipe any more: the pager sees its end.
    dup2(output, STDOUT_FILENO)
    close(output)
    let isShown = process.wait() == 0
    signal(SIGINT, interruption)
    signal(SIGPIPE, brokenPipe)
    return isShown
  }

  /// What is told of one that did not work.
  static let failure = OffersError(
    .invalidRequest, "The pager ended with an error.",
    hint: "Name another one with PAGER, or none with --no-pager.")

  private static func words(_ command: String, hasOptions: Bool) -> [String] {
    // Found out here, because a shell that finds no pager, or cannot read what names it, would end
    // with all that was to be shown.
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
