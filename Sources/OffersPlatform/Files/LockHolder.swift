/// A process that holds a lock on a file: of a `LockFile`, or an exclusive lock of SQLite.
package struct LockHolder: Sendable {
  package let pid: Int32
  /// The process's name (`comm`).
  package let name: String
  package let byte: Int64
  /// Whether the process is stopped, by a signal or a debugger (proc(5), `State`).
  package let isStopped: Bool

  /// The kinds of locks, as fdinfo files name them.
  package enum Kind: String, Sendable {
    /// The locks of a `LockFile`.
    case openFile = "OFDLCK"
    /// The locks of SQLite.
    case process = "POSIX"
  }

  /// The holders of locks on a file that are visible to this user: the kernel shows the processes
  /// of the same user. Locks of open file descriptions belong to no process, so they are listed
  /// with the descriptor (proc(5), fdinfo).
  ///
  /// - Parameters:
  ///   - path: the absolute path of the file, with all links resolved.
  ///   - kind: the kind of locks. Only exclusive ones are looked for.
  /// - Returns: nil on a system without `/proc`.
  package static func find(on path: String, _ kind: Kind = .openFile) -> [LockHolder]? {
    guard let descriptors = FileHolder.descriptors(of: path) else { return nil }
    var holders: [LockHolder] = []
    for (user, descriptor) in descriptors {
      let information = FileHolder.text("/proc/\(user.pid)/fdinfo/\(descriptor)")
      for byte in lockedBytes(information, kind) {
        let isStopped = FileHolder.text("/proc/\(user.pid)/status").contains(/State:\s+[Tt]/)
        holders.append(
          LockHolder(pid: user.pid, name: user.name, byte: byte, isStopped: isStopped))
      }
    }
    return holders.sorted { ($0.byte, $0.pid) < ($1.byte, $1.pid) }
  }

  /// The locked bytes that an fdinfo file lists: for each lock the first byte of its range, which
  /// is 0 in the line `lock: 1: OFDLCK ADVISORY WRITE -1 fe:01:52 0 0`.
  private static func lockedBytes(_ information: String, _ kind: Kind) -> [Int64] {
    information.split(whereSeparator: \.isNewline).compactMap { line in
      let words = line.split(whereSeparator: { $0 == " " || $0 == "\t" })
      guard line.hasPrefix("lock:"), words.count >= 2, words.contains("WRITE"),
        words.contains(Substring(kind.rawValue))
      else { return nil }
      return Int64(words[words.count - 2])
    }
  }
}
