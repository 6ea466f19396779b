import Foundation

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
  /// - Parameters:
  ///   - path: the path.
  ///   - followsLinks: whether the status of a symbolic link is that of its target. A link to a
  ///     missing file has none then.
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
