import Foundation

/// The files of the map library Leaflet and of its clustering, which Debian's packages `libjs-leaflet`
/// and `libjs-leaflet.markercluster` install into one folder.
package struct LeafletFiles: Sendable {
  private let folder: String
  /// Whether both packages were installed when the server started. Otherwise the pages have no maps.
  let areInstalled: Bool

  /// - Parameter folder: the folder of the files.
  package init(folder: String = "/usr/share/javascript/leaflet") {
    self.folder = folder
    areInstalled = Self.contentTypes.keys.allSatisfy {
      FileManager.default.isReadableFile(atPath: "\(folder)/\($0)")
    }
  }

  /// The media types of the served files, by path in the folder. No other path is read, so that no
  /// path of a request leads out of the folder.
  private static let contentTypes = [
    "leaflet.css": "text/css; charset=utf-8",
    "leaflet.min.js": "text/javascript; charset=utf-8",
    "leaflet.markercluster.min.js": "text/javascript; charset=utf-8",
  ]

  /// A file of the map library; nil for any other path, or if the library is not installed.
  func find(_ path: String) -> (contentType: String, bytes: [UInt8])? {
    guard let type = Self.contentTypes[path],
      let data = FileManager.default.contents(atPath: "\(folder)/\(path)")
    else { return nil }
    return (type, Array(data))
  }
}
