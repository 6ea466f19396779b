import Foundation
import OffersCore

/// Where an offer is on the earth.
struct MapPlace: Sendable {
  private let latitude: Double
  private let longitude: Double

  /// Nil for an offer that does not say, or says what is nowhere.
  init?(_ offer: Offer) {
    guard let latitude = offer.latitude, let longitude = offer.longitude,
      (-90...90).contains(latitude), (-180...180).contains(longitude)
    else { return nil }
    self.latitude = latitude
    self.longitude = longitude
  }

  var latitudeText: String { "\(latitude)" }
  var longitudeText: String { "\(longitude)" }

  /// `43.0387° N, 87.9042° W`
  var text: String {
    let north = Self.degrees(latitude) + (latitude < 0 ? "° S" : "° N")
    let east = Self.degrees(longitude) + (longitude < 0 ? "° W" : "° E")
    return "\(north), \(east)"
  }

  /// A map of the streets there; nothing is fetched from it until a person opens it.
  var link: String {
    "https://www.openstreetmap.org/?mlat=\(latitude)&mlon=\(longitude)#map=17/\(latitude)/\(longitude)"
  }

  private static func degrees(_ number: Double) -> String {
    String(format: "%.4f", abs(number))
  }
}
