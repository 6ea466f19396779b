import Foundation

/// The variables of the process's environment.
public enum EnvironmentVariable {
  /// The value of one, read by itself: Foundation copies all of them for each that is asked for.
  public static func find(_ name: String) -> String? {
    getenv(name).map { String(cString: $0) }
  }
}
