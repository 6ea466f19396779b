import Expat
import ZLib

/// The versions of the C libraries of this module that the dynamic linker loaded, which may be newer
/// than those that the program was compiled with.
package enum LoadedLibraryVersions {
  /// The version of expat, such as `2.5.0`.
  package static var expatVersion: String {
    let version = XML_ExpatVersionInfo()
    return "\(version.major).\(version.minor).\(version.micro)"
  }

  /// The version of zlib, such as `1.2.13`.
  package static var zlibVersion: String { String(cString: ZLib.zlibVersion()) }
}
