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
  /// - Parameter sync: makes the name of a new folder durable, before anything is created in it. A power cut
  ///   would otherwise remove the folder with the files in it, however well these are synced.
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

/// The kind, size, permissions, time and identity of a file.
package struct FileStatus: Sendable {
  /// A file independently of its names: device and inode.
  package struct Identity: Hashable, Sendable {
    fileprivate let device: UInt
    fileprivate let number: UInt
  }

  package let bytes: Int
  /// Whether it is a regular file: no folder, pipe or device.
  package let isRegular: Bool
  package let isFolder: Bool
  /// The permissions of owner, group and others, such as `0o600`.
  package let permissions: Int32
  /// Whether only the owner of a file in this folder can remove or rename it (the sticky bit).
  package let isSticky: Bool
  /// The time of the last change of the contents, in Unix seconds.
  package let changedAt: Int
  package let identity: Identity
  /// The numeric id of the user to whom it belongs.
  package let ownerID: UInt32
  /// The numeric id of its group.
  package let groupID: UInt32

  /// Whether it belongs to the user as whom this process runs.
  package var isOfThisUser: Bool { ownerID == geteuid() }

  /// The permissions of a private file in this folder: its group has the same as its owner if the group, and
  /// not everybody, can write to the folder.
  package var permissionsOfFiles: Int32 { permissions & 0o022 == 0o020 ? 0o660 : 0o600 }

  /// The status of the file at a path; nil if there is none.
  ///
  /// - Parameter followsLinks: whether the status of a symbolic link is that of its target. A link to a
  ///   missing file has none then.
  package static func find(
    _ path: String, followsLinks: Bool = true
  ) throws(SystemError) -> FileStatus? {
    var information = stat()
    let result = followsLinks ? stat(path, &information) : lstat(path, &information)
    if result == 0 { return FileStatus(information) }
    let error = SystemError.last("stat")
    if error.number == ENOENT || error.number == ENOTDIR { return nil }
    throw error
  }

  /// The status of an open file.
  package init(of descriptor: Int32) throws(SystemError) {
    var information = stat()
    if fstat(descriptor, &information) != 0 { throw .last("fstat") }
    self.init(information)
  }

  private init(_ information: stat) {
    bytes = Int(information.st_size)
    isRegular = information.st_mode & S_IFMT == S_IFREG
    isFolder = information.st_mode & S_IFMT == S_IFDIR
    permissions = Int32(information.st_mode & 0o777)
    isSticky = information.st_mode & S_ISVTX != 0
    #if canImport(Darwin)
      changedAt = Int(information.st_mtimespec.tv_sec)
    #else
      changedAt = Int(information.st_mtim.tv_sec)
    #endif
    ownerID = UInt32(information.st_uid)
    groupID = UInt32(information.st_gid)
    identity = Identity(
      device: UInt(truncatingIfNeeded: information.st_dev), number: UInt(information.st_ino))
  }
}

/// The permissions that this process has for a file or folder, by access(2).
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

/// The target of symbolic links.
package enum SymbolicLinks {
  /// The path of a file with all links resolved. Of a link to a missing file, the path that the file
  /// would get; a path that cannot be resolved is returned as far as it can be.
  package static func resolve(_ path: String) -> String {
    if let real = realpath(path, nil) {
      defer { free(real) }
      return String(cString: real)
    }
    var path = path
    for _ in 0..<limit {
      guard let target = target(of: path) else { break }
      path = target.hasPrefix("/") ? target : FileOperations.folder(of: path) + "/" + target
    }
    return path
  }

  /// The most links that are followed; Linux has the same limit (path_resolution(7)).
  private static let limit = 40

  /// The text of a link; nil for a path that is none.
  private static func target(of path: String) -> String? {
    var bytes = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = readlink(path, &bytes, bytes.count)
    return count > 0
      ? String(decoding: bytes[..<count].map(UInt8.init(bitPattern:)), as: UTF8.self) : nil
  }
}

/// The space of the file system that holds a folder.
package enum DiskSpace {
  /// The space that this process can still fill, in bytes.
  package static func freeBytes(of folder: String) throws(SystemError) -> Int {
    var system = statvfs()
    guard statvfs(folder, &system) == 0 else { throw .last("statvfs") }
    return Int(clamping: UInt64(system.f_bavail) * UInt64(system.f_frsize))
  }
}
