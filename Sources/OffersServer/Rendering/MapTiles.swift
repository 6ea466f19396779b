import Foundation
import OffersCore

/// The server of map tiles from which browsers load streets, once a person has chosen them on a map.
package struct MapTiles: Hashable, Sendable {
  /// The URL of a tile, with the placeholders `{z}`, `{x}` and `{y}`.
  let template: String
  /// The notice that the provider of the tiles asks for, as plain text.
  let attribution: String?
  /// The page that the notice leads to; nil for none.
  private var link: String?
  /// The scheme, host and port of the server, as a source of the content security policy.
  let origin: String

  /// The tiles of OpenStreetMap, as its policy asks: https://operations.osmfoundation.org/policies/tiles/
  package static let openStreetMap: MapTiles? = {
    var tiles = try? MapTiles(
      "https://tile.openstreetmap.org/{z}/{x}/{y}.png", attribution: "© OpenStreetMap contributors")
    tiles?.link = "https://www.openstreetmap.org/copyright"
    return tiles
  }()

  private static let placeholders = ["{z}", "{x}", "{y}"]

  /// - Parameters:
  ///   - template: an http or https URL of at most 2048 bytes with each of `{z}`, `{x}` and `{y}`
  ///     once, behind the host.
  ///   - attribution: the notice of the tiles' provider; nil for none.
  /// - Throws: `OffersError` with `invalidRequest` for any other text. The host is written into a
  ///   header, so that it may contain the characters of host names and addresses only.
  package init(_ template: String, attribution: String? = nil) throws {
    func refusal(_ reason: String) -> OffersError {
      OffersError(
        .invalidRequest, "\(template.prefix(200)) is no URL of map tiles: \(reason).",
        hint: "An example is https://tiles.example.com/{z}/{x}/{y}.png")
    }
    guard PageLinks.isOutside(template), template.utf8.count <= 2048
    else { throw refusal("it must begin with https:// or http:// and have no spaces") }
    let parts = template.split(scalar: "/", maxSplits: 3, omittingEmptySubsequences: false)
    let authority = parts[2]
    let isHost = authority.utf8.allSatisfy { byte in
      Character(Unicode.Scalar(byte)).isLetter && byte < 0x80
        || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || "-.:[]".utf8.contains(byte)
    }
    guard isHost, let first = authority.utf8.first, !"-.:]".utf8.contains(first) else {
      throw refusal("its host must consist of letters, digits, dots and hyphens")
    }
    var rest = parts.count > 3 ? String(parts[3]) : ""
    for placeholder in Self.placeholders {
      guard rest.count(ofBytes: placeholder) == 1 else {
        throw refusal("it must have \(placeholder) once, behind its host")
      }
      rest = rest.replacing(bytes: placeholder, with: "")
    }
    guard !rest.utf8.contains(where: { "{}".utf8.contains($0) }) else {
      throw refusal("it may have no placeholder but {z}, {x} and {y}")
    }
    self.template = template
    self.attribution = attribution
    origin = "\(parts[0])//\(authority)".lowercased()
  }

  /// The variables of the frame around a page, which tell its scripts.
  var fields: PageFields {
    ["tileTemplate": template, "tileAttribution": attribution, "tileLink": link]
  }
}

extension String {
  /// The number of occurrences of a text that do not overlap.
  fileprivate func count(ofBytes text: String) -> Int {
    let shorter = replacing(bytes: text, with: "")
    return (utf8.count - shorter.utf8.count) / text.utf8.count
  }
}

package struct MapSettings: Sendable {
  let files: LeafletFiles
  let tiles: MapTiles?

  /// - Parameters:
  ///   - files: the map library's files; nil for those of this system.
  ///   - tiles: the server of street tiles; nil for maps without streets, as are maps without the library.
  package init(files: LeafletFiles? = nil, tiles: MapTiles? = nil) {
    self.files = files ?? .installed
    self.tiles = self.files.areInstalled ? tiles : nil
  }
}

struct Coordinates: Sendable {
  private let latitude: Double
  private let longitude: Double

  /// - Returns: nil for an offer without coordinates, or with coordinates out of range.
  init?(_ offer: Offer) {
    guard let latitude = offer.latitude, let longitude = offer.longitude,
      (-90...90).contains(latitude), (-180...180).contains(longitude)
    else { return nil }
    self.latitude = latitude
    self.longitude = longitude
  }

  var latitudeText: String { "\(latitude)" }
  var longitudeText: String { "\(longitude)" }

  /// The coordinates for people, such as `43.0387° N, 87.9042° W`.
  var text: String {
    let north = Self.degrees(latitude) + (latitude < 0 ? "° S" : "° N")
    let east = Self.degrees(longitude) + (longitude < 0 ? "° W" : "° E")
    return "\(north), \(east)"
  }

  /// The link to a street map. No page loads anything from it.
  var link: String {
    "https://www.openstreetmap.org/?mlat=\(latitude)&mlon=\(longitude)#map=17/\(latitude)/\(longitude)"
  }

  /// The link to directions to the place, in any browser.
  var directionsLink: String {
    "https://www.openstreetmap.org/directions?to=\(latitude)%2C\(longitude)"
  }

  private static func degrees(_ number: Double) -> String {
    String(format: "%.4f", abs(number))
  }
}
