import Foundation
import Glibc
import OffersCore
import Synchronization

/// Runs programs of users that deliver notices, such as one that sends a mail.
///
/// - No shell reads the words.
/// - The environment is as cron's: `HOME`, `LOGNAME`, `USER`, `SHELL` and a short `PATH`, and nothing of this
///   process's own, because variables may be secrets. The folder is the home.
/// - Standard input is a file, so that a program that does not read it does no harm. Standard output is
///   discarded; the end of standard error is the reason of a failure.
/// - After 30 seconds the program is ended with the programs that it has started, unless these have left its
///   process group: by SIGTERM, and two seconds later by SIGKILL.
package enum NoticeProgram {
  /// The time between SIGTERM and SIGKILL, in seconds.
  private static let graceSeconds = 2.0
  /// How often the program is looked at, in milliseconds.
  private static let pauseMilliseconds: Int32 = 20
  /// The first pause after the end of standard error, in milliseconds, which doubles up to the other one: most programs
  /// end then, and what they have taken is tried again if this process is killed before that is recorded.
  private static let firstPauseMilliseconds: Int32 = 1
  /// The most bytes of standard error that are kept.
  private static let mostBytes = 2_048
  /// The most times that standard error is read after the end of the program: 64 KiB are in its pipe at most.
  private static let mostReads = 16
  /// The exit status of a program that asks for another attempt: EX_TEMPFAIL of sysexits.h.
  private static let temporaryFailure: Int32 = 75

  /// Runs a program. Exit status 0 is a delivery, and all else is tried again.
  ///
  /// - Parameters:
  ///   - words: the path of the program, or a name to look up in the short `PATH`, and its arguments.
  ///   - input: the bytes for standard input.
  ///   - seconds: the longest time that it may take.
  package static func run(
    _ words: [String], input: [UInt8], seconds: Double = DeliveryOutcome.seconds
  ) async -> DeliveryOutcome {
    let isCancelled = Flag()
    do {
      return try await withTaskCancellationHandler {
        try await OwnThread.run {
          try attempt(words, input, seconds) { isCancelled.value.load(ordering: .relaxed) }
        }
      } onCancel: {
        isCancelled.value.store(true, ordering: .relaxed)
      }
    } catch {
      return .later(OffersError(error).message)
    }
  }

  private final class Flag: Sendable {
    let value = Atomic(false)
  }

  private static func attempt(
    _ words: [String], _ input: [UInt8], _ seconds: Double, isCancelled: () -> Bool
  ) throws -> DeliveryOutcome {
    let file = try UnnamedFile(input)
    var ends: [Int32] = [0, 0]
    guard pipe(&ends) == 0 else {
      throw OffersError(.limitExceeded, "A program could not be started.", hint: .allowOpenFiles)
    }
    defer { close(ends[0]) }
    let environment = environment
    let process: ChildProcess
    do {
      defer { close(ends[1]) }
      // The PATH of this process would be searched for a name.
      process = try withExtendedLifetime(file) {
        try ChildProcess(
          [path(of: words[0], environment)] + words.dropFirst(), environment: environment,
          folder: environment["HOME"], input: file.stream, errors: .descriptor(ends[1]),
          leadsGroup: true)
      }
    }
    var errors = Tail(descriptor: ends[0])
    let limit = ContinuousClock.now + .wait(seconds: seconds)
    var isLate = false
    while process.isRunning {
      if ContinuousClock.now >= limit || isCancelled() {
        isLate = true
        end(process)
        break
      }
      _ = errors.read(milliseconds: pauseMilliseconds)
    }
    let status = process.wait()
    // A program that goes on in the background may print without end.
    for _ in 0..<mostReads where !errors.read(milliseconds: 0) { break }
    let name = words[0].split(scalar: "/").last ?? ""
    if isLate {
      return .later(
        isCancelled() ? "\(name) was stopped." : "\(name) took longer than \(Units.wait(seconds)).")
    }
    if status == 0 { return .delivered }
    let what = status < 0 ? "was ended by signal \(-status)" : "exited with status \(status)"
    let isAsked = status == temporaryFailure ? " (try again)" : ""
    return .later(DeliveryOutcome.reason("\(name) \(what)\(isAsked)", words: errors.text))
  }

  /// Ends the program and its group. The child is not reaped before, so that the group keeps its number.
  private static func end(_ process: ChildProcess) {
    process.send(toGroup: SIGTERM)
    let limit = ContinuousClock.now + .wait(seconds: graceSeconds)
    while ContinuousClock.now < limit, !process.hasExited {
      usleep(UInt32(pauseMilliseconds) * 1000)
    }
    process.send(toGroup: SIGKILL)
  }

  /// The path of a program: of a name without a slash, that in the PATH of the environment.
  private static func path(of name: String, _ environment: [String: String]) -> String {
    if name.utf8.contains(UInt8(ascii: "/")) { return name }
    let folders = environment["PATH", default: ""].split(scalar: ":")
    return folders.map { "\($0)/\(name)" }.first { access($0, X_OK) == 0 }
      ?? "\(folders.last ?? "")/\(name)"
  }

  /// The variables that cron sets (crontab(5)), and the language of texts.
  private static var environment: [String: String] {
    let home = NSHomeDirectory()
    let user = NSUserName()
    return [
      "HOME": home, "LOGNAME": user, "USER": user, "SHELL": "/bin/sh", "LC_ALL": "C.UTF-8",
      "PATH": "/usr/local/bin:/usr/bin:/bin",
    ]
  }

  /// The end of what a program prints. All of it is read, so that the program does not wait.
  private struct Tail {
    let descriptor: Int32
    private var bytes: [UInt8] = []
    private var pauseMilliseconds = firstPauseMilliseconds

    init(descriptor: Int32) { self.descriptor = descriptor }

    /// Reads what is there, and waits for it. Returns whether there was anything.
    mutating func read(milliseconds: Int32) -> Bool {
      var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      var piece = [UInt8](repeating: 0, count: 4096)
      guard poll(&entry, 1, milliseconds) > 0 else { return false }
      let count = Glibc.read(descriptor, &piece, piece.count)
      guard count > 0 else {
        // Nobody has the other end any more, while the program goes on.
        usleep(UInt32(min(pauseMilliseconds, milliseconds)) * 1000)
        pauseMilliseconds = min(pauseMilliseconds * 2, NoticeProgram.pauseMilliseconds)
        return false
      }
      bytes = Array((bytes + piece[..<count]).suffix(mostBytes))
      return true
    }

    var text: String { String(decoding: bytes, as: UTF8.self) }
  }
}
