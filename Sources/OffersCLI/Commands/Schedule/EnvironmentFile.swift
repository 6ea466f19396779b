import Glibc
import OffersCore

/// A file of variables that only its owner may read: `NAME=value`, a line each. The value is all that
/// stands behind the first equals sign, as it is; nothing in it is quoted, escaped or expanded. Empty
/// lines and lines that begin with `#` are comments.
struct EnvironmentFile {
  struct Variable: Equatable {
    let name: String
    let value: String
  }

  let path: String

  /// More than any machine hands to a program.
  private static let limitBytes = 1 << 20

  /// The file of the scheduled syncs.
  ///
  /// - Throws: `OffersError` with `invalidRequest` where there is no home.
  static func ofSchedule() throws -> EnvironmentFile {
    EnvironmentFile(path: try SettingPath.configurationFolder() + "/offers/schedule.env")
  }

  /// Puts the variables in place of what it holds, whole or not at all.
  ///
  /// - Throws: `OffersError` with `invalidRequest` for a value with a line end.
  func write(_ variables: [Variable]) throws {
    var text = "# Variables of the syncs that run by themselves: offers schedule install\n"
    for variable in variables {
      guard Self.isName(variable.name), !variable.value.utf8.contains(0x0A) else {
        throw OffersError(
          .invalidRequest, "The value of \(variable.name) has a line end in it.",
          hint: "Nothing was installed. Give it one of one line, or unset it.")
      }
      text += "\(variable.name)=\(variable.value)\n"
    }
    try NewFile.write(text, to: path, isPrivate: true)
  }

  /// Its variables, in order; nil when there is no file.
  ///
  /// - Throws: `OffersError` with `invalidRequest` for a file that is not its reader's own or that
  ///   others may read, and for a line that is no variable; no message has a value in it.
  func read() throws -> [Variable]? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else {
      if errno == ENOENT || errno == ENOTDIR { return nil }
      throw refusal("could not be read: \(String(cString: strerror(errno)))")
    }
    defer { close(descriptor) }
    var information = stat()
    guard fstat(descriptor, &information) == 0, information.st_mode & S_IFMT == S_IFREG else {
      throw refusal("is no file")
    }
    guard information.st_uid == geteuid(), information.st_mode & 0o077 == 0 else {
      throw refusal("may be read or changed by others")
    }
    guard information.st_size <= Self.limitBytes else { throw refusal("is too large") }
    var bytes = [UInt8](repeating: 0, count: Int(information.st_size))
    let count = bytes.withUnsafeMutableBytes { Glibc.read(descriptor, $0.baseAddress, $0.count) }
    guard count == bytes.count, let text = String(validating: bytes, as: UTF8.self),
      !bytes.contains(0)
    else { throw refusal("is not UTF-8") }
    return try text.split(scalar: "\n").compactMap { line in
      if line.utf8.first == UInt8(ascii: "#") { return nil }
      guard let end = line.utf8.firstIndex(of: UInt8(ascii: "=")),
        Self.isName(String(line[..<end]))
      else { throw refusal("has a line that is no NAME=value") }
      return Variable(
        name: String(line[..<end]), value: String(Substring(line.utf8[end...].dropFirst())))
    }
  }

  private func refusal(_ reason: String) -> OffersError {
    OffersError(
      .invalidRequest, "\(path) \(reason).", hint: "Make it anew: offers schedule install")
  }

  /// Whether a text is a portable name of a variable.
  static func isName(_ text: String) -> Bool {
    guard let first = text.utf8.first, !(0x30...0x39).contains(first) else { return false }
    return text.utf8.allSatisfy {
      ($0 | 0x20) &- 0x61 < 26 || $0 &- 0x30 < 10 || $0 == UInt8(ascii: "_")
    }
  }
}
