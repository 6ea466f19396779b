import Foundation
import OffersCore
import OffersPlatform

/// Finds and names the process that keeps others from reading or writing a database, such as one that
/// was stopped in the middle of its work.
enum BlockingProcess {
  /// The process that holds an exclusive lock of a database: on the log's shared memory, on the file,
  /// or the write guard. A stopped one comes first. Nil if none is visible to this user.
  static func find(on path: String) -> LockHolder? {
    let path = DatabaseFile.resolve(path)
    let kinds: [(String, LockHolder.Kind)] = [
      (path + "-shm", .process), (path, .process),
      (DatabaseFile(path: path).lockPath, .openFile),
    ]
    let holders = kinds.flatMap { LockHolder.find(on: $0, $1) ?? [] }
      .filter { $0.pid != getpid() }
    return holders.first(where: \.isStopped) ?? holders.first
  }

  /// - Parameters:
  ///   - holder: the process; nil if it is not known.
  ///   - path: the database's path.
  ///   - begun: when the wait for it began; nil if that is not known.
  static func message(
    _ holder: LockHolder?, path: String, since begun: ContinuousClock.Instant?
  ) -> String {
    let seconds = begun.map { Int((ContinuousClock.now - $0) / .seconds(1)) } ?? 0
    let wait = seconds > 0 ? " for \(Units.count(seconds, "second"))" : ""
    guard let holder else { return "Another program has held \(path) locked\(wait)." }
    let name = "Another process, \(holder.name) (\(holder.pid)),"
    return holder.isStopped
      ? "\(name) is stopped and has held \(path) locked\(wait)."
      : "\(name) has held \(path) locked\(wait)."
  }

  static func advice(_ holder: LockHolder?) -> Hint {
    guard let holder else {
      return "Close programs that have it open for writing, then try again. Nothing was changed."
    }
    return holder.isStopped
      ? Hint(
        "Nothing was changed. End it or let it go on, then try again.",
        command: "kill -CONT \(holder.pid)")
      : "Wait for it or end it, then try again. Nothing was changed."
  }
}
