import Glibc
import OffersCore
import OffersFeeds
import OffersPlatform
import OffersSync
import Synchronization

/// Reads and updates of small text files, such as the user's file of feed definitions.
enum TextFile {
  /// The content of a file; nil if it does not exist.
  ///
  /// - Throws: `OffersError` with `limitExceeded` for a file over `DefinitionFile.limitBytes`,
  ///   `invalidRequest` for text that is not UTF-8, `storageFailed` if it cannot be read.
  static func read(_ path: String) throws -> String? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else {
      if errno == ENOENT || errno == ENOTDIR { return nil }
      throw failure("read", path)
    }
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 64 << 10)
    while true {
      let count = Glibc.read(descriptor, &piece, piece.count)
      if count < 0 {
        if errno == EINTR { continue }
        throw failure("read", path)
      }
      if count == 0 { break }
      bytes += piece[..<count]
      if bytes.count > DefinitionFile.limitBytes {
        throw OffersError(
          .limitExceeded, "\(path) is larger than \(DefinitionFile.limitBytes >> 20) MiB.",
          hint: DefinitionFile.sizeHint)
      }
    }
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw OffersError(
        .invalidRequest, "\(path):\(line(ofBadTextIn: bytes)): the text is not UTF-8.",
        hint: "Save the file as UTF-8: other editors and encodings would damage it.")
    }
    return text
  }

  /// The number of the first line that is not valid UTF-8.
  private static func line(ofBadTextIn bytes: [UInt8]) -> Int {
    let lines = bytes.split(separator: 0x0A, omittingEmptySubsequences: false)
    let bad = lines.firstIndex { String(validating: $0, as: UTF8.self) == nil }
    return (bad ?? 0) + 1
  }

  /// The longest wait for another program that changes the file, in seconds.
  private static let waitSeconds = 5.0

  /// A change of a file that is written beside it and takes effect by `commit`, so that it can be made
  /// together with a change of the database: neither is made if the other one fails. Until it is released, no
  /// other process changes the file.
  final class Edit: Sendable {
    /// The lock is on the folder, because each change replaces the file.
    private let folder: Int32
    /// The new content; nil for no change.
    private let file: AtomicFile?
    private let isCommitted = Mutex(false)

    fileprivate init(holding folder: Int32, _ file: AtomicFile?) {
      self.folder = folder
      self.file = file
    }

    deinit { close(folder) }

    /// Whether the content changes.
    var isChange: Bool { file != nil }

    /// May be called again, as by a transaction that is repeated.
    func commit() throws {
      try isCommitted.withLock { isCommitted in
        if !isCommitted { try file?.commit() }
        isCommitted = true
      }
    }
  }

  /// Prepares a change of the content of a file under an exclusive lock, so that concurrent changes by several
  /// processes are not lost. Missing folders are created.
  ///
  /// - Parameters:
  ///   - path: the path of the file.
  ///   - change: receives the content, nil if the file does not exist, and returns the new content,
  ///     nil for no change.
  /// - Returns: the change, which is written and does not count yet.
  /// - Throws: `OffersError` with `locked` if another process holds the lock for longer than 5 s.
  static func edit(_ path: String, _ change: (String?) throws -> String?) throws -> Edit {
    let target = try AtomicFile.target(path)
    do {
      try FileOperations.makeFolders(of: target)
    } catch {
      throw failure("write", path, error.number)
    }
    let descriptor = open(FileOperations.folder(of: target), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { throw failure("write", path) }
    do {
      try lock(descriptor, path)
      guard var text = try change(try read(target)) else { return Edit(holding: descriptor, nil) }
      let file = try AtomicFile(watched: target, hint: permissionHint)
      try text.withUTF8 { try file.append(UnsafeRawBufferPointer($0)) }
      return Edit(holding: descriptor, file)
    } catch {
      close(descriptor)
      throw error
    }
  }

  /// Locks the folder of a file.
  private static func lock(_ folder: Int32, _ path: String) throws {
    let end = ContinuousClock.now + .seconds(waitSeconds)
    while flock(folder, LOCK_EX | LOCK_NB) != 0 {
      guard errno == EINTR || errno == EWOULDBLOCK else {
        throw failure("lock the folder of", path)
      }
      guard .now < end else {
        throw OffersError(
          .locked, "Another program holds the folder of \(path).",
          hint: "Nothing was changed. Wait until it has ended, then try again.")
      }
      usleep(10_000)
    }
  }

  private static func failure(
    _ verb: String, _ path: String, _ reason: Int32 = errno
  ) -> OffersError {
    OffersError(
      .storageFailed, "Could not \(verb) \(path): \(String(cString: strerror(reason))).",
      hint: permissionHint)
  }

  private static let permissionHint = "Check its permissions, or name another with --config."
}
