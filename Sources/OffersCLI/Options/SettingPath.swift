import Glibc
import OffersCore

/// A file that an option, a variable, or a folder of the XDG Base Directory Specification names.
struct SettingPath: Sendable {
  let text: String
  /// True when a person named it.
  let isNamed: Bool

  /// The file that is named, or that stands where the specification says; nil when there is no home.
  ///
  /// - Parameters:
  ///   - option: the option's value, and its name.
  ///   - variable: the variable that stands for it.
  ///   - folder: the variable of the specification, and the folder in the home that it stands for.
  ///   - file: the file's path in that folder.
  ///   - what: what it is, for messages.
  /// - Throws: `OffersError` with `invalidRequest` for an empty path.
  static func find(
    option: (value: String?, name: String), variable: String,
    folder: (variable: String, inHome: String), file: String, what: String
  ) throws -> SettingPath? {
    if let named = option.value ?? EnvironmentVariable.find(variable) {
      guard !named.isEmpty else {
        throw OffersError(
          .invalidRequest, "The path of \(what) is empty.",
          hint: "Name a file with \(option.name), or unset \(variable).")
      }
      return SettingPath(text: named, isNamed: true)
    }
    return base(folder.variable, inHome: folder.inHome).map {
      SettingPath(text: "\($0)/\(file)", isNamed: false)
    }
  }

  /// A folder of the specification, which ignores a relative one; nil when there is no home.
  private static func base(_ variable: String, inHome: String) -> String? {
    func absolute(_ name: String) -> String? {
      EnvironmentVariable.find(name).flatMap { $0.hasPrefix("/") ? $0 : nil }
    }
    return absolute(variable) ?? absolute("HOME").map { "\($0)/\(inHome)" }
  }

  /// The folder with the settings of all programs.
  ///
  /// - Throws: `OffersError` with `invalidRequest` when there is no home.
  static func configurationFolder() throws -> String {
    if let folder = base("XDG_CONFIG_HOME", inHome: ".config") { return folder }
    throw OffersError(
      .invalidRequest, "There is no home folder to keep settings in.", hint: "Set HOME.")
  }

  /// The path from the root on, whatever the folder this process is in. Links stay.
  static func absolute(_ path: String) -> String {
    if path.utf8.first == UInt8(ascii: "/") { return path }
    guard let pointer = getcwd(nil, 0) else { return path }
    defer { free(pointer) }
    return String(cString: pointer) + "/" + path
  }
}
