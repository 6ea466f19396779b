import Glibc

/// What every file that must not be lost needs.
package enum FileBytes {
  /// Writes all of the bytes, however many turns that takes.
  ///
  /// - Returns: whether it did; `errno` says why not.
  package static func write(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) -> Bool {
    var left = bytes
    while !left.isEmpty {
      let count = Glibc.write(descriptor, left.baseAddress, left.count)
      if count < 0, errno == EINTR { continue }
      if count < 0 { return false }
      left = UnsafeRawBufferPointer(rebasing: left[count...])
    }
    return true
  }

  /// Makes the folders that a path leads through, readable by their owner only.
  ///
  /// - Returns: whether they are there; `errno` says why not.
  package static func makeFolders(of path: String) -> Bool {
    var made = path.utf8.first == UInt8(ascii: "/") ? "" : "."
    for part in path.split(scalar: "/").dropLast() {
      made += "/" + part
      // One that is there is told by several codes.
      if mkdir(made, 0o700) != 0, errno != EEXIST, errno != EISDIR {
        let code = errno
        var information = stat()
        guard stat(made, &information) != 0 else { continue }
        errno = code
        return false
      }
    }
    return true
  }

  /// The folder that a path leads into.
  package static func folder(of path: String) -> String {
    guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }

  /// Sees to it that a file keeps its new name when the power fails: the name is in its folder. Where
  /// that cannot be written down at once, it is soon.
  package static func syncFolder(of path: String) {
    let descriptor = open(folder(of: path), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { return }
    _ = fsync(descriptor)
    close(descriptor)
  }
}
