import Glibc
import OffersCore

/// The path of a file that an option, an environment variable, or the XDG Base Directory
/// Specification determines.
struct SettingPath: Sendable {
  let text: String
  /// How the file was chosen.
  enum Origin: Sendable {
    case option, variable, standard
  }

  let origin: Origin

  /// True if the user named the file by an option or a variable.
  var isNamed: Bool { origin != .standard }

  /// - Parameters:
  ///   - text: the path.
  ///   - origin: how it was chosen.
  init(text: String, origin: Origin) {
    self.text = text
    self.origin = origin
  }

  /// The path that the user named, else the default of the specification; nil if there is no home
  /// folder for the default.
  ///
  /// - Parameters:
  ///   - option: the value of the option and its name; the option wins over the variable.
  ///   - variable: the environment variable that names the same file.
  ///   - folder: the variable of the specification that names the folder of the default path, such
  ///     as `XDG_DATA_HOME`, and its default in the home folder.
  ///   - file: the default path of the file within that folder.
  ///   - what: the noun for the file in the error.
  /// - Throws: `OffersError` with `invalidRequest` for an empty path.
  static func find(
    option: (value: String?, name: String), variable: String,
    folder: (variable: String, inHome: String), file: String, what: String
  ) throws -> SettingPath? {
    if let named = option.value ?? ProcessContext.variable(variable) {
      guard !named.isEmpty else {
        throw OffersError(
          .invalidRequest, "The path of \(what) is empty.",
          hint: "Name a file with \(option.name), or unset \(variable).")
      }
      return SettingPath(text: named, origin: option.value == nil ? .variable : .option)
    }
    return base(folder.variable, inHome: folder.inHome).map {
      SettingPath(text: "\($0)/\(file)", origin: .standard)
    }
  }

  /// The absolute path in a variable of the specification, else the default in the home folder; nil
  /// without a home folder. A relative path counts as unset, as the specification requires.
  private static func base(_ variable: String, inHome: String) -> String? {
    func absolute(_ name: String) -> String? {
      ProcessContext.variable(name).flatMap { $0.hasPrefix("/") ? $0 : nil }
    }
    return absolute(variable) ?? absolute("HOME").map { "\($0)/\(inHome)" }
  }

  /// The folder with the settings of all programs: `$XDG_CONFIG_HOME`, else `~/.config`.
  ///
  /// - Throws: `OffersError` with `invalidRequest` if the variable is not set and there is no home
  ///   folder.
  static func configurationFolder() throws -> String {
    if let folder = base("XDG_CONFIG_HOME", inHome: ".config") { return folder }
    throw OffersError(
      .invalidRequest, "There is no home folder to keep settings in.", hint: "Set HOME.")
  }

  /// The absolute form of a path, by the working directory. Neither symbolic links nor `..` are
  /// resolved.
  static func absolute(_ path: String) -> String {
    if path.utf8.first == UInt8(ascii: "/") { return path }
    guard let pointer = getcwd(nil, 0) else { return path }
    defer { free(pointer) }
    return String(cString: pointer) + "/" + path
  }
}
