import Foundation
import OffersCore

/// The place of an offer on its page: a small map, and links to call, to find the way and to share.
struct OfferLocationFields {
  let maps: MapSettings

  func hasMap(_ offer: Offer) -> Bool {
    maps.files.areInstalled && Coordinates(offer) != nil
  }

  /// Sets the place of an offer that has coordinates.
  func set(_ fields: inout PageFields, of offer: Offer) {
    guard let coordinates = Coordinates(offer) else { return }
    let contact = Contact(offer)
    let address = contact.address?.value
    fields.set(
      "place",
      PageFields { place in
        place.set(coordinates)
        place.set("mapLink", coordinates.link)
        place.set("directionsLink", coordinates.directionsLink)
        if let phone = contact.phone {
          place.set("phone", phone.value)
          place.set("phoneLink", PageLinks.phone(phone))
        }
        if let twitter = contact.twitter {
          place.set("twitter", twitter.value)
          place.set("twitterLink", PageLinks.twitter(twitter))
        }
        place.set("placeCategory", offer.categories.first)
        place.set("listLink", PageLinks.path(PageLinks.feed(offer.ref.feed), [("view", "map")]))
        if let address { place.set("addressLines", Self.lines(of: address)) }
        place.set("placeName", offer.name)
        place.set("placeAddress", address)
        place.set("shareLink", PageLinks.outside(offer.urlText) ?? coordinates.link)
        place.set("hasMap", maps.files.areInstalled)
        place.setTiles(maps)
      })
  }

  /// The attributes that the section of the place shows, so that the details need not repeat them.
  static func shown(of offer: Offer) -> [OfferAttribute] {
    guard Coordinates(offer) != nil else { return [] }
    let contact = Contact(offer)
    return [contact.address, contact.phone, contact.twitter].compactMap(\.self)
  }

  /// The first address, phone number and Twitter name of a place.
  private struct Contact {
    let address: OfferAttribute?
    let phone: OfferAttribute?
    let twitter: OfferAttribute?

    init(_ offer: Offer) {
      address = offer.attributes.first { $0.label.lowercased() == "address" }
      phone = offer.attributes.first { PageLinks.phone($0) != nil }
      twitter = offer.attributes.first { PageLinks.twitter($0) != nil }
    }
  }

  /// The lines of an address in one text: its parts between commas, but a part such as `TX 75254`,
  /// which begins with capitals and has a digit, stays on the line of the part before it.
  static func lines(of address: String) -> [String] {
    var lines: [String] = []
    for part in address.split(whereSeparator: { $0 == "," || $0.isNewline }) {
      let text = part.trimmingCharacters(in: .whitespaces)
      let capitals = text.unicodeScalars.prefix { ("A"..."Z").contains($0) }.count
      let hasDigit = text.unicodeScalars.contains { ("0"..."9").contains($0) }
      if text.isEmpty { continue }
      if let last = lines.popLast() {
        lines += (2...3).contains(capitals) && hasDigit ? ["\(last), \(text)"] : [last, text]
      } else {
        lines = [text]
      }
    }
    return lines
  }
}

extension PageLinks {
  /// The address of the profile that an attribute labelled `Twitter` names, such as `@name`; nil for any
  /// other attribute, and for a text that is no name of that site.
  static func twitter(_ attribute: OfferAttribute) -> String? {
    guard attribute.label.lowercased() == "twitter" else { return nil }
    let name =
      attribute.value.utf8.first == UInt8(ascii: "@")
      ? String(attribute.value.unicodeScalars.dropFirst()) : attribute.value
    let isName = name.unicodeScalars.allSatisfy {
      ("a"..."z").contains($0) || ("A"..."Z").contains($0) || ("0"..."9").contains($0) || $0 == "_"
    }
    return isName && (1...30).contains(name.utf8.count) ? "https://twitter.com/\(name)" : nil
  }

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
