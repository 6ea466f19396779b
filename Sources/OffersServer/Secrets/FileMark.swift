import Foundation

/// The facts of a file by which a change is recognized. The time of the change of its state (ctime)
/// tells of changed permissions as well.
struct FileMark: Equatable, Sendable {
  private let device: UInt64
  private let inode: UInt64
  private let size: Int64
  private let times: [Int]

  /// - Returns: nil if there is no file at the path, or it cannot be examined.
  init?(_ path: String) {
    var facts = stat()
    guard stat(path, &facts) == 0 else { return nil }
    device = UInt64(facts.st_dev)
    inode = UInt64(facts.st_ino)
    size = Int64(facts.st_size)
    times = [
      facts.st_mtim.tv_sec, facts.st_mtim.tv_nsec, facts.st_ctim.tv_sec, facts.st_ctim.tv_nsec,
    ]
  }
}
