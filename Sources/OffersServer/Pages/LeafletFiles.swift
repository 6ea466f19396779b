import Foundation

/// The files of the map library Leaflet, where Debian's package `libjs-leaflet` is installed.
enum LeafletFiles {
  private static let folder = "/usr/share/javascript/leaflet/"

  /// The files that the map needs, and no others: whatever a request says, no other path is read.
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

  /// Nil for what is no file of the map, or not installed.
  static func find(_ path: String) -> (contentType: String, bytes: [UInt8])? {
    guard let type = contentTypes[path],
      let data = FileManager.default.contents(atPath: folder + path)
    else { return nil }
    return (type, Array(data))
  }
}
