import OffersCore
import OffersFeeds
import OffersHTTP
import OffersServer

/// The versions of the shared libraries that are installed. The system updates them
/// independently of the program.
enum LibraryVersions {
  /// The names in JSON and in text, and the versions.
  private static var all: [(key: String, name: String, version: String)] {
    StoreLocation.engines.map { (key: $0.key, name: $0.name, version: $0.version) } + [
      ("expat", "expat", LoadedLibraryVersions.expatVersion),
      ("zlib", "zlib", LoadedLibraryVersions.zlibVersion),
      ("libcrypto", "libcrypto", LibCrypto.version ?? "missing"),
      ("libcurl", "libcurl", CurlLibrary.version ?? "missing"),
    ]
  }

  static var finding: Finding {
    Finding(.ok, "libraries", all.map { "\($0.name) \($0.version)" }.joined(separator: ", "))
  }

  /// Writes the versions as a member of the object that is being written.
  static func write(to json: inout JSONWriter) {
    json.member("libraries", object: all) { json, all in
      for library in all { json.member(library.key, library.version) }
    }
  }
}
