import Glibc

/// File operations with complete writes and durable names.
package enum FileBytes {
  /// Writes all bytes, with as many `write` calls as it takes.
  ///
  /// - Returns: whether all were written; `errno` is set if not.
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

  /// Creates the missing parent folders of a path, accessible by their owner only.
  ///
  /// - Returns: whether all of them exist; `errno` is set if not.
  package static func makeFolders(of path: String) -> Bool {
    var made = path.utf8.first == UInt8(ascii: "/") ? "" : "."
    for part in path.split(scalar: "/").dropLast() {
      made += "/" + part
      // For an existing folder, mkdir fails with other codes, too, depending on the file system.
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

  /// The parent folder of a path.
  package static func folder(of path: String) -> String {
    guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }

  /// Makes a file's new name durable with an fsync of its folder. A failure is ignored: the system
  /// writes the folder later.
  package static func syncFolder(of path: String) {
    let descriptor = open(folder(of: path), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { return }
    _ = fsync(descriptor)
    close(descriptor)
  }
}
