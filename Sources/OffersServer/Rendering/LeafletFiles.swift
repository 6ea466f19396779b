import Foundation

/// The files of the map library Leaflet, which Debian's package `libjs-leaflet` installs.
enum LeafletFiles {
  private static let folder = "/usr/share/javascript/leaflet/"

  /// The media types of the served files, by path in the folder. No other path is read, so that no
  /// path of a request leads out of the folder.
  private static let contentTypes = [
    "leaflet.css": "text/css; charset=utf-8",
    "leaflet.esm.min.js": "text/javascript; charset=utf-8",
    "images/layers.png": "image/png",
    "images/layers-2x.png": "image/png",
    "images/marker-icon.png": "image/png",
    "images/marker-icon-2x.png": "image/png",
    "images/marker-shadow.png": "image/png",
  ]

  static var areInstalled: Bool {
    FileManager.default.isReadableFile(atPath: folder + "leaflet.esm.min.js")
  }

  /// A file of the map library; nil for any other path, or if the library is not installed.
  static func find(_ path: String) -> (contentType: String, bytes: [UInt8])? {
    guard let type = contentTypes[path],
      let data = FileManager.default.contents(atPath: folder + path)
    else { return nil }
    return (type, Array(data))
  }
}
