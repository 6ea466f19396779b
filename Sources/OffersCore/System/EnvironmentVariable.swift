import Foundation

/// Access to the environment of the process.
public enum EnvironmentVariable {
  /// The value of a variable; nil when it is not set. Calls `getenv`, because `ProcessInfo` copies
  /// the whole environment for each lookup.
  public static func find(_ name: String) -> String? {
    getenv(name).map { String(cString: $0) }
  }
}
