import Foundation

/// A process that has a file open.
package struct FileHolder: Hashable, Sendable {
  package let pid: Int32
  /// The process's name (`comm`).
  package let name: String

  /// The processes that have a file open and are visible to this user: the kernel shows the
  /// processes of the same user.
  ///
  /// - Parameter path: the absolute path of the file, with all links resolved.
  /// - Returns: nil on a system without `/proc`.
  package static func find(of path: String) -> [FileHolder]? {
    descriptors(of: path).map { Set($0.map(\.user)).sorted { $0.pid < $1.pid } }
  }

  /// The open descriptors of a file, with their processes; nil on a system without `/proc`.
  static func descriptors(of path: String) -> [(user: FileHolder, descriptor: String)]? {
    let files = FileManager.default
    // Processes that end meanwhile and those of other users are skipped.
    func names(_ folder: String) -> [String]? { try? files.contentsOfDirectory(atPath: folder) }
    guard let processes = names("/proc") else { return nil }
    return processes.flatMap { process -> [(user: FileHolder, descriptor: String)] in
      guard let pid = Int32(process) else { return [] }
      let folder = "/proc/\(process)/fd"
      let descriptors = (names(folder) ?? []).filter {
        (try? files.destinationOfSymbolicLink(atPath: "\(folder)/\($0)")) == path
      }
      if descriptors.isEmpty { return [] }
      let name = text("/proc/\(process)/comm").trimmingCharacters(in: .newlines)
      return descriptors.map { (FileHolder(pid: pid, name: name), $0) }
    }
  }

  /// The text of a file in `/proc`, at most 64 KiB; empty if it cannot be read.
  static func text(_ path: String) -> String {
    // Files in /proc report no size, and may have disappeared.
    guard let file = FileHandle(forReadingAtPath: path),
      let data = try? file.read(upToCount: 64 << 10)
    else { return "" }
    return String(decoding: data, as: UTF8.self)
  }
}
