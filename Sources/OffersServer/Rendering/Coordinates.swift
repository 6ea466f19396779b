import Foundation
import OffersCore

/// The geographic coordinates of an offer, in degrees.
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
