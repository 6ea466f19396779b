import Glibc

/// A program such as `less` that shows long output page by page.
///
/// `$OFFERS_PAGER`, else `$PAGER`, else `less`; an empty one is none. Output that fits the screen is
/// simply printed, because `less` is told so unless `$LESS` says otherwise.
struct Pager: ~Copyable {
  private let process: pid_t

  /// Sends standard output through the pager from now on.
  ///
  /// - Returns: nil where none is wanted or can be had; output then goes where it went.
  init?(_ variable: (String) -> String?) {
    let command = variable("OFFERS_PAGER") ?? variable("PAGER") ?? "less"
    guard !command.isEmpty, command != "cat", variable("TERM") != "dumb" else { return nil }
    var ends: [Int32] = [0, 0]
    guard pipe(&ends) == 0 else { return nil }
    // The pager must not hold the end that it waits for.
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    guard let started = Self.start(command, reading: ends[0], hasOptions: variable("LESS") != nil)
    else {
      for end in ends { close(end) }
      return nil
    }
    process = started
    dup2(ends[1], STDOUT_FILENO)
    for end in ends { close(end) }
    // The pager takes interrupts; what it is shown ends when it does.
    signal(SIGINT, SIG_IGN)
  }

  /// Waits until the person has seen enough.
  consuming func finish() {
    close(STDOUT_FILENO)
    var status: Int32 = 0
    while waitpid(process, &status, 0) < 0 && errno == EINTR {}
  }

  private static func start(
    _ command: String, reading descriptor: Int32, hasOptions: Bool
  ) -> pid_t? {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, descriptor, STDIN_FILENO)
    // Found out here, because a shell that finds no pager, or cannot read what names it, would end
    // with all that was to be shown.
    let script = """
      (eval "set -- $1") 2>/dev/null || exec cat
      command=$1
      eval "set -- $1"
      command -v "$1" >/dev/null 2>&1 || exec cat
      eval "exec $command"
      """
    let words = [
      "sh", "-c", hasOptions ? script : "LESS=FRX; export LESS\n" + script, "sh", command,
    ]
    var arguments = words.map { strdup($0) }
    arguments.append(nil)
    defer { for argument in arguments { free(argument) } }
    var process = pid_t()
    let code = posix_spawn(&process, "/bin/sh", &actions, nil, arguments, environ)
    return code == 0 ? process : nil
  }
}
