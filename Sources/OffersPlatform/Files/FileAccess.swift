import Foundation

/// What this process may do with a file or folder, as access(2) says.
package struct FileAccess: OptionSet, Sendable {
  package let rawValue: Int32

  package init(rawValue: Int32) { self.rawValue = rawValue }

  /// Read the file.
  package static let reading = FileAccess(rawValue: R_OK)
  /// Write the file, or create files in the folder.
  package static let writing = FileAccess(rawValue: W_OK)

  /// Checks that the process has all of this access. Without any, that the path exists.
  package func check(_ path: String) throws(SystemError) {
    if access(path, rawValue) != 0 { throw .last("access") }
  }

  /// Whether the process has all of this access.
  package func isGranted(_ path: String) -> Bool { access(path, rawValue) == 0 }

  /// Whether the path exists, as any kind of file. A link to a missing file does not.
  package static func exists(_ path: String) -> Bool { FileAccess().isGranted(path) }
}
