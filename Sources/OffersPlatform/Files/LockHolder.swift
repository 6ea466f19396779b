/// A process that holds a lock of a `LockFile`.
package struct LockHolder: Sendable {
  package let pid: Int32
  /// The process's name (`comm`).
  package let name: String
  package let byte: Int64

  /// The holders of locks on a file that are visible to this user: the kernel shows the processes
  /// of the same user. Locks of open file descriptions belong to no process, so they are listed
  /// with the descriptor (proc(5), fdinfo).
  ///
  /// - Parameter path: the absolute path of the file, with all links resolved.
  /// - Returns: nil on a system without `/proc`.
  package static func find(on path: String) -> [LockHolder]? {
    guard let descriptors = FileUser.descriptors(of: path) else { return nil }
    var holders: [LockHolder] = []
    for (user, descriptor) in descriptors {
      let information = FileUser.text("/proc/\(user.pid)/fdinfo/\(descriptor)")
      for byte in lockedBytes(information) {
        holders.append(LockHolder(pid: user.pid, name: user.name, byte: byte))
      }
    }
    return holders.sorted { ($0.byte, $0.pid) < ($1.byte, $1.pid) }
  }

  /// The locked bytes that an fdinfo file lists: for each lock the first byte of its range, which
  /// is 0 in the line `lock: 1: OFDLCK ADVISORY WRITE -1 fe:01:52 0 0`.
  private static func lockedBytes(_ information: String) -> [Int64] {
    information.split(whereSeparator: \.isNewline).compactMap { line in
      let words = line.split(whereSeparator: { $0 == " " || $0 == "\t" })
      guard line.hasPrefix("lock:"), words.contains("OFDLCK"), words.count >= 2 else { return nil }
      return Int64(words[words.count - 2])
    }
  }
}
