import Foundation

/// The files of the map library Leaflet and of its clustering, which Debian's packages `libjs-leaflet`
/// and `libjs-leaflet.markercluster` install into one folder. They are read once: a process serves the
/// files that it found, also after an update of the packages.
package struct LeafletFiles: Sendable {
  /// The files by path in the folder; empty if one of them is missing.
  private let files: [String: (asset: PageAssets.Asset, bytes: [UInt8])]
  /// Whether all files of Leaflet and its clustering were found when they were read. If not, the pages
  /// have no maps.
  var areInstalled: Bool { !files.isEmpty }

  /// The files of this system.
  static let installed = LeafletFiles()

  /// - Parameter folder: the folder of the files.
  package init(folder: String = "/usr/share/javascript/leaflet") {
    var files: [String: (asset: PageAssets.Asset, bytes: [UInt8])] = [:]
    for (path, type) in Self.contentTypes {
      guard let data = FileManager.default.contents(atPath: "\(folder)/\(path)") else { continue }
      files[path] = (PageAssets.Asset(type, Array(data)), Array(data))
    }
    self.files = files.count == Self.contentTypes.count ? files : [:]
  }

  /// The media types of the served files, by path in the folder. No other path is read, so that no
  /// path of a request leads out of the folder.
  private static let contentTypes = [
    "leaflet.css": "text/css; charset=utf-8",
    "leaflet.min.js": "text/javascript; charset=utf-8",
    "leaflet.markercluster.min.js": "text/javascript; charset=utf-8",
  ]

  /// A file of the map library; nil for any other path, or if the library is not installed.
  func find(_ path: String) -> PageAssets.Asset? { files[path]?.asset }

  /// The contents of the files, in the order of their paths.
  var contents: [[UInt8]] { files.sorted { $0.key < $1.key }.map(\.value.bytes) }
}
