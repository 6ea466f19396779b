import Foundation
import OffersCore
import OffersPlatform

/// A file with the secrets of channels: lines of the form `NAME=value`, readable by its owner only.
///
/// Empty lines and lines that begin with `#` are skipped, and lost when the program writes the file. The form is
/// that of systemd's `EnvironmentFile=` without quotes.
public struct ChannelSecrets: Sendable {
  /// The path of the file.
  public let path: String

  /// The most bytes of the file.
  private static let mostBytes = 1 << 20
  private static let hint = "Nothing was changed. Check the file of secrets and its folder."

  /// - Parameter path: the path of the file, which need not exist.
  public init(path: String) { self.path = path }

  /// Returns the value of a variable: the entry of the file at the time of the call of this function, or else
  /// that of the environment.
  ///
  /// - Throws: as ``read()``.
  package func lookUp(
    orIn environment: @escaping @Sendable (String) -> String?
  ) throws(OffersError) -> @Sendable (String) -> String? {
    let entries = try read()
    return { entries[$0] ?? environment($0) }
  }

  /// The entries of the file; none if it does not exist.
  ///
  /// - Throws: `OffersError` with `invalidRequest` for a file that others may read, that is not a regular
  ///   file, or that has a line without a name; `storageFailed` if it cannot be read.
  public func read() throws(OffersError) -> [String: String] {
    try OffersError.translating { try Self.parse(String(decoding: bytes(), as: UTF8.self), path) }
  }

  /// Changes the entries of the file, which is replaced at once or not at all. A file without entries stays
  /// empty. Processes that change it at the same time wait for each other.
  ///
  /// - Throws: `OffersError` as ``read()``; with `invalidRequest` for a value with a line break; with `locked` if
  ///   another process changes it for seconds.
  public func update(_ change: (inout [String: String]) -> Void) throws(OffersError) {
    try OffersError.translating {
      let lock = try lock()
      defer { lock.unlockAll() }
      let old = try read()
      var entries = old
      change(&entries)
      if entries == old { return }
      guard !entries.contains(where: { ($0 + $1).utf8.contains { $0 < 0x20 || $0 == 0x7F } }) else {
        throw OffersError(
          .invalidRequest, "A secret has a line break or another control character.",
          hint: "Nothing was changed. Write it in one line.")
      }
      let file = try AtomicFile(replacing: path, hint: Self.hint)
      let text = entries.sorted { $0.key < $1.key }.map { "\($0)=\($1)\n" }.joined()
      try Array(text.utf8).withUnsafeBytes { try file.append($0) }
      try file.commit(isPrivate: true)
    }
  }

  /// Locks the file by one beside it.
  private func lock() throws -> LockFile {
    do throws(SystemError) {
      try FileOperations.makeFolders(of: path)
      let file = try LockFile(path: path + "-lock")
      for _ in 0..<500 {
        if try file.tryLock(byte: 0) { return file }
        usleep(10_000)
      }
    } catch {
      throw AtomicFile.failure(path, Self.hint, error.number)
    }
    throw OffersError(
      .locked, "Another process changes the secrets in \(path).", hint: "Try it again.")
  }

  /// The bytes of the file. Its type and its permissions are those of the open descriptor, so that the file
  /// cannot be replaced in between.
  private func bytes() throws -> Data {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else {
      if errno == ENOENT { return Data() }
      throw OffersError(
        .storageFailed,
        "Could not read the secrets in \(path): \(String(cString: strerror(errno))).",
        hint: Self.hint)
    }
    let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      throw OffersError(.invalidRequest, "\(path) is not a regular file.", hint: Self.hint)
    }
    guard status.st_mode & 0o077 == 0 else {
      throw OffersError(
        .invalidRequest, "Others on this machine may read the secrets in \(path).",
        hint: .changeMode("Make it yours alone.", "600", [path]))
    }
    guard status.st_size <= Self.mostBytes else {
      throw OffersError(
        .invalidRequest, "\(path) has more than \(Units.size(Self.mostBytes)).", hint: Self.hint)
    }
    return try handle.read(upToCount: Self.mostBytes) ?? Data()
  }

  private static func parse(_ text: String, _ path: String) throws -> [String: String] {
    var entries: [String: String] = [:]
    let lines = text.split(scalar: "\n", omittingEmptySubsequences: false)
    for (number, line) in zip(1..., lines) {
      if line.isEmpty || line.utf8.first == UInt8(ascii: "#") { continue }
      // Bytes, because a sign with a combining mark behind it is another character.
      guard let equals = line.utf8.firstIndex(of: UInt8(ascii: "=")), equals > line.startIndex
      else {
        throw OffersError(
          .invalidRequest, "Line \(number) of \(path) has no name.",
          hint: "Nothing was changed. Write each line as NAME=value.")
      }
      entries[String(line[..<equals])] = String(line[line.utf8.index(after: equals)...])
    }
    return entries
  }
}
