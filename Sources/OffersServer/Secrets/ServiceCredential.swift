import Foundation
import OffersCore

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
