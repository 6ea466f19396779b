import Foundation
import OffersCore

/// The place of an offer on its page: a small map, and links to call, to find the way and to share.
struct OfferPlaceFields {
  let maps: MapSettings

  func hasMap(_ offer: Offer) -> Bool {
    maps.files.areInstalled && Coordinates(offer) != nil
  }

  /// Sets the place of an offer that has coordinates.
  func set(_ fields: inout PageFields, of offer: Offer) {
    guard let coordinates = Coordinates(offer) else { return }
    let address = offer.attributes.first { $0.label.lowercased() == "address" }?.value
    fields.set(
      "place",
      PageFields { place in
        place.set(coordinates)
        place.set("mapLink", coordinates.link)
        place.set("directionsLink", coordinates.directionsLink)
        place.set("phoneLink", offer.attributes.lazy.compactMap { PageLinks.phone($0) }.first)
        place.set("placeName", offer.name)
        place.set("placeAddress", address)
        place.set("shareLink", PageLinks.outside(offer.urlText) ?? coordinates.link)
        place.set("hasMap", maps.files.areInstalled)
        place.setTiles(maps)
      })
  }
}

extension PageLinks {
  private static let phoneLabels: Set = ["phone", "telephone", "tel", "mobile", "phone number"]

  /// The `tel:` URL of an attribute that is labelled as a phone number; nil for any other, and for
  /// one without 5 to 20 digits. Only the digits and a leading plus sign are part of it (RFC 3966).
  static func phone(_ attribute: OfferAttribute) -> String? {
    guard phoneLabels.contains(attribute.label.lowercased()) else { return nil }
    let text = attribute.value.trimmingCharacters(in: .whitespacesAndNewlines)
    let digits = text.unicodeScalars.filter { ("0"..."9").contains($0) }
    let others = text.unicodeScalars.filter { !("0"..."9").contains($0) }
    guard (5...20).contains(digits.count),
      others.allSatisfy({ " ()+-./\u{A0}".unicodeScalars.contains($0) })
    else { return nil }
    return "tel:" + (text.hasPrefix("+") ? "+" : "") + String(String.UnicodeScalarView(digits))
  }
}
