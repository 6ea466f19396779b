import Foundation
import OffersCore

/// A file that takes another's place once it is whole: whoever looks sees the old one or the new
/// one, and so does a machine that lost its power. Only its owner may read it, unless it takes the
/// place of one that others may read. Nothing of it stays behind when the program is interrupted.
final class NewFile {
  /// Where it will stand.
  let path: String
  /// Where it stands until then.
  let temporaryPath: String
  private let descriptor: Int32
  private let hint: String
  private var isDone = false
  private let interruption: InterruptionWatch?

  /// - Parameters:
  ///   - path: where it will stand; a link is followed.
  ///   - hint: what to do when that cannot be.
  init(replacing path: String, hint: String) throws {
    guard !path.isEmpty else {
      throw OffersError(.invalidRequest, "The file has no name.", hint: "Name a file to write.")
    }
    let target = Self.resolve(path)
    self.path = target
    self.hint = hint
    temporaryPath = "\(target).new-\(getpid())"
    var information = stat()
    if stat(target, &information) == 0, information.st_mode & S_IFMT != S_IFREG {
      descriptor = -1
      interruption = nil
      throw OffersError(.invalidRequest, "\(path) is no ordinary file.", hint: "Name another one.")
    }
    Self.removeRemains(beside: target)
    // What has this process's number was left by a dead one, or laid there by somebody else.
    unlink(temporaryPath)
    let watch = InterruptionWatch { [temporaryPath] in unlink(temporaryPath) }
    interruption = watch
    descriptor = watch.hold { [temporaryPath] in
      open(temporaryPath, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
    }
    guard descriptor >= 0 else { throw Self.failure(path, hint) }
  }

  deinit {
    if descriptor < 0 { return }
    close(descriptor)
    if !isDone { unlink(temporaryPath) }
  }

  /// What a link leads to, also where that is not there yet: it is replaced, not the link.
  static func resolve(_ path: String) -> String {
    if let pointer = realpath(path, nil) {
      defer { free(pointer) }
      return String(cString: pointer)
    }
    var bytes = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = readlink(path, &bytes, bytes.count)
    guard count > 0 else { return path }
    let link = String(decoding: bytes[..<count].map(UInt8.init(bitPattern:)), as: UTF8.self)
    guard !link.hasPrefix("/"), let slash = path.lastIndex(of: "/") else { return link }
    return path[...slash] + link
  }

  func append(_ bytes: UnsafeRawBufferPointer) throws {
    guard FileBytes.write(bytes, to: descriptor) else { throw Self.failure(path, hint) }
  }

  /// Puts it in its place.
  ///
  /// - Parameter isPrivate: whether only its owner may read it, whatever stood there.
  func commit(isPrivate: Bool = false) throws {
    var information = stat()
    let isThere = !isPrivate && stat(path, &information) == 0
    let mode = isThere ? information.st_mode & 0o777 : 0o600
    guard fchmod(descriptor, mode) == 0, fsync(descriptor) == 0,
      interruption?.hold({ rename(temporaryPath, path) == 0 }) ?? false
    else { throw Self.failure(path, hint) }
    isDone = true
    FileBytes.syncFolder(of: path)
  }

  /// Removes what processes left behind that were killed meanwhile.
  private static func removeRemains(beside path: String) {
    let folder = FileBytes.folder(of: path)
    let start = (path.split(separator: "/").last ?? "") + ".new-"
    // A folder that cannot be listed is told of when the file is made.
    for name in (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [] {
      guard name.hasPrefix(start), let pid = Int32(name.dropFirst(start.count)), pid > 0,
        kill(pid, 0) != 0, errno == ESRCH
      else { continue }
      unlink("\(folder)/\(name)")
    }
  }

  private static func failure(_ path: String, _ hint: String) -> OffersError {
    OffersError(
      .storageFailed, "Could not write \(path): \(String(cString: strerror(errno))).", hint: hint)
  }
}
