import Foundation

/// The space of the file system that holds a folder.
package enum DiskSpace {
  /// The space that this process can still fill, in bytes.
  package static func freeBytes(of folder: String) throws(SystemError) -> Int {
    var system = statvfs()
    guard statvfs(folder, &system) == 0 else { throw .last("statvfs") }
    return Int(clamping: UInt64(system.f_bavail) * UInt64(system.f_frsize))
  }
}
