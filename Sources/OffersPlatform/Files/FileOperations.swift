import Foundation
import SystemShim

/// Operations on open files and on folders. Reads and writes that a signal interrupts are repeated.
package enum FileOperations {
  /// Reads the bytes that are available, at most as many as the buffer holds, and waits for the
  /// first one.
  ///
  /// - Returns: the number of bytes; 0 at the end of the file.
  package static func readNext(
    into buffer: UnsafeMutableRawBufferPointer, from descriptor: Int32
  ) throws(SystemError) -> Int {
    while true {
      let count = read(descriptor, buffer.baseAddress, buffer.count)
      if count >= 0 { return count }
      if errno != EINTR { throw .last("read") }
    }
  }

  /// Writes all bytes, with as many `write` calls as it takes.
  package static func writeAll(
    _ bytes: UnsafeRawBufferPointer, to descriptor: Int32
  ) throws(SystemError) {
    var left = bytes
    while !left.isEmpty {
      let count = write(descriptor, left.baseAddress, left.count)
      if count < 0 {
        if errno == EINTR { continue }
        throw .last("write")
      }
      left = UnsafeRawBufferPointer(rebasing: left[count...])
    }
  }

  /// Creates an empty file, readable by its owner only. An existing file is left as it is, and a
  /// link in its place is not followed.
  ///
  /// Root creates it for the owner and group of the folder, so that a service can use its database after a
  /// command of root.
  ///
  /// - Returns: whether this call created the file; false if there is one.
  package static func makeFile(_ path: String) throws(SystemError) -> Bool {
    let descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else {
      if errno == EEXIST { return false }
      throw .last("open")
    }
    defer { close(descriptor) }
    if geteuid() == 0, let folder = try FileStatus.find(folder(of: path)) {
      try keepOwner(folder, permissions: folder.permissionsOfFiles, of: descriptor)
    }
    return true
  }

  /// Gives a file of this process the owner and group of another one.
  ///
  /// - Throws: `SystemError` with `EPERM` if only root may do that.
  package static func keepOwner(
    _ other: FileStatus, permissions: Int32, of path: String
  ) throws(SystemError) {
    let descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC)
    guard descriptor >= 0 else { throw .last("open") }
    defer { close(descriptor) }
    try keepOwner(other, permissions: permissions, of: descriptor)
  }

  /// Gives an open file of this process the owner and group of another one.
  package static func keepOwner(
    _ other: FileStatus, permissions: Int32, of descriptor: Int32
  ) throws(SystemError) {
    let own = try FileStatus(of: descriptor)
    if (own.ownerID, own.groupID) != (other.ownerID, other.groupID) {
      // Until the owner is the right one, nobody else may read the file.
      guard fchown(descriptor, other.ownerID, other.groupID) == 0 else { throw .last("fchown") }
    }
    guard fchmod(descriptor, mode_t(permissions)) == 0 else { throw .last("fchmod") }
  }

  /// Removes a file, if there is one. A failure is ignored.
  package static func removeFile(_ path: String) { _ = unlink(path) }

  /// Creates the missing parent folders of a path, accessible by their owner only.
  ///
  /// - Parameters:
  ///   - path: the path of a file.
  ///   - sync: makes the name of a new folder durable, before anything is created in it. A power cut
  ///     would otherwise remove the folder with the files in it, however well these are synced.
  package static func makeFolders(
    of path: String, sync: (_ folder: String) -> Void = syncFolder
  ) throws(SystemError) {
    let slash = UInt8(ascii: "/")
    var made = path.utf8.first == slash ? "" : "."
    for part in path.utf8.split(separator: slash).dropLast() {
      made += "/" + String(decoding: part, as: UTF8.self)
      // For an existing folder, mkdir fails with other codes, too, depending on the file system.
      if mkdir(made, 0o700) == 0 {
        sync(made)
      } else if errno != EEXIST, errno != EISDIR {
        let error = SystemError.last("mkdir")
        if !FileAccess.exists(made) { throw error }
      }
    }
  }

  /// Renames a file, unless a file with the new name exists.
  ///
  /// - Throws: `SystemError` with `EEXIST` if there is one. Nothing is changed then.
  package static func move(_ path: String, toNew newPath: String) throws(SystemError) {
    if offers_rename_exclusively(path, newPath) != 0 { throw .last("rename") }
  }

  /// The reason why no file at all can be opened at present, such as too many open files; nil if one
  /// can be.
  package static func openingFailure() -> SystemError? {
    let descriptor = open("/dev/null", O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return .last("open") }
    close(descriptor)
    return nil
  }

  /// Syncs the contents of a file to the disk.
  package static func syncFile(_ path: String) throws(SystemError) {
    let descriptor = open(path, O_RDWR | O_CLOEXEC)
    guard descriptor >= 0 else { throw .last("open") }
    defer { close(descriptor) }
    guard fsync(descriptor) == 0 else { throw .last("fsync") }
  }

  /// The parent folder of a path.
  package static func folder(of path: String) -> String {
    guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }

  /// Makes the new name of a file or folder durable with an fsync of its parent folder. A failure is
  /// ignored: the system writes the folder later.
  package static func syncFolder(of path: String) {
    let descriptor = open(folder(of: path), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { return }
    _ = fsync(descriptor)
    close(descriptor)
  }
}
