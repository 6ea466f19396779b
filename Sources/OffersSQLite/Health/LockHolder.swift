import Foundation
import OffersCore

/// A process that holds a lock on a lock file.
struct LockHolder {
  let pid: Int32
  /// The process's name, as it names itself.
  let name: String
  let byte: Int64

  /// Who holds the locks on a file, as far as one may know: the kernel shows the processes of the
  /// same person. It shows a lock with the descriptor that holds it (proc(5), fdinfo), because it
  /// belongs to no process.
  static func find(on path: String) -> [LockHolder] {
    let files = FileManager.default
    // What goes away while one looks is passed over, as is what others own.
    func names(_ folder: String) -> [String] {
      (try? files.contentsOfDirectory(atPath: folder)) ?? []
    }
    var holders: [LockHolder] = []
    for process in names("/proc") {
      guard let pid = Int32(process) else { continue }
      for descriptor in names("/proc/\(process)/fd") {
        guard
          let target = try? files.destinationOfSymbolicLink(
            atPath: "/proc/\(process)/fd/\(descriptor)"), target == path
        else { continue }
        let information = text("/proc/\(process)/fdinfo/\(descriptor)")
        for byte in lockedBytes(information) {
          let name = text("/proc/\(process)/comm").trimmingCharacters(in: .newlines)
          holders.append(LockHolder(pid: pid, name: name, byte: byte))
        }
      }
    }
    return holders.sorted { ($0.byte, $0.pid) < ($1.byte, $1.pid) }
  }

  /// The first bytes of the locked ranges: `lock: 1: OFDLCK ADVISORY WRITE -1 fe:01:52 0 0`.
  private static func lockedBytes(_ information: String) -> [Int64] {
    information.split(scalar: "\n").compactMap { line in
      let words = line.split(whereSeparator: { $0 == " " || $0 == "\t" })
      guard line.hasPrefix("lock:"), words.contains("OFDLCK"), words.count >= 2 else { return nil }
      return Int64(words[words.count - 2])
    }
  }

  private static func text(_ path: String) -> String {
    // Such a file has no size, and may be gone by now.
    guard let file = FileHandle(forReadingAtPath: path),
      let data = try? file.read(upToCount: 64 << 10)
    else { return "" }
    return String(decoding: data, as: UTF8.self)
  }
}
