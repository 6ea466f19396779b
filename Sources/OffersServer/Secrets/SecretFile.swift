import Foundation
import OffersCore
import OffersPlatform

enum SecretFile {
  /// Reads a secret of one line, without the line end behind it.
  ///
  /// - Parameters:
  ///   - path: the file, a regular one that only its owner can read.
  ///   - mostBytes: the maximum length of the secret. Of a longer one, the beginning is returned, which
  ///     is longer than that as well.
  ///   - hint: the advice for a file that cannot be read; nil for none.
  /// - Returns: the secret. Bytes that are not UTF-8 become other characters than ASCII.
  static func read(
    _ path: String, _ noun: String, mostBytes: Int, hint: String? = nil
  ) throws -> String {
    var bytes = try bytes(
      of: path, noun, mostBytes: mostBytes + 2,
      forbiddenMode: ServiceCredential.forbiddenMode(of: path), hint: hint)
    while bytes.last == 0x0A || bytes.last == 0x0D { bytes.removeLast() }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// The first bytes of a regular file. Its type and permissions are checked on the open descriptor, so
  /// that the file cannot be replaced in between.
  ///
  /// - Parameter forbiddenMode: the permissions that the file must not have.
  /// - Throws: `OffersError` with `notFound` for a file that cannot be opened or read, with
  ///   `invalidRequest` for a file that is not regular or is accessible to others.
  static func bytes(
    of path: String, _ noun: String, mostBytes: Int, forbiddenMode: mode_t, hint: String? = nil
  ) throws -> [UInt8] {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else {
      throw OffersError(
        .notFound, "Could not read the \(noun) in \(path): \(String(cString: strerror(errno))).",
        hint: hint)
    }
    let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    var information = stat()
    guard fstat(descriptor, &information) == 0, information.st_mode & S_IFMT == S_IFREG else {
      throw OffersError(.invalidRequest, "\(path) is not a regular file.")
    }
    guard information.st_mode & forbiddenMode == 0 else {
      throw OffersError(
        .invalidRequest, "Others on this machine may read the \(noun) in \(path).",
        hint: "Make it yours alone: chmod 600 \(ShellQuoting.word(path))")
    }
    do {
      return Array(try handle.read(upToCount: mostBytes) ?? Data())
    } catch {
      throw OffersError(
        .notFound, "Could not read the \(noun) in \(path).", hint: hint, cause: "\(error)")
    }
  }
}

/// A secret that systemd hands to a service as a file (`LoadCredential=`,
/// https://www.freedesktop.org/software/systemd/man/252/systemd.exec.html#Credentials).
enum ServiceCredential {
  /// The permissions that a file with a secret must not have: none for others than its owner.
  ///
  /// systemd may let the service read a file of root by an access control list, whose mask the mode
  /// shows as a read permission of the group. Only the service can enter the folder of such files.
  static func forbiddenMode(of path: String) -> mode_t {
    let folder = EnvironmentVariable.find("CREDENTIALS_DIRECTORY")
    return folder.map { path.utf8.starts(with: "\($0)/".utf8) } ?? false ? 0o037 : 0o077
  }
}

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
