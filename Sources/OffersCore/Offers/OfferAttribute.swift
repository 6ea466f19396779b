import Foundation

/// A labelled value for which offers have no field of their own, such as an artist or a phone
/// number.
public struct OfferAttribute: Hashable, Sendable, Codable {
  /// The label shown before the value, such as `Artist`.
  public let label: String
  /// The value as plain text.
  public let value: String

  /// Creates an offer attribute of its parts; the properties describe them.
  public init(label: String, value: String) {
    self.label = label
    self.value = value
  }

  /// The value for people: a time in ISO 8601, as definitions read it, in the local time zone; any
  /// other value as it is.
  package var shownValue: String {
    guard let seconds = ISOTime.seconds(parsing: value) else { return value }
    return Units.time(Date(storedSeconds: seconds))
  }

  /// Reads what `json(_:)` writes; an incomplete pair at the end is ignored.
  package static func parse(_ json: String) -> [OfferAttribute] {
    let texts = JSONTexts.parse(json)
    return stride(from: 0, to: texts.count - 1, by: 2).map {
      OfferAttribute(label: texts[$0], value: texts[$0 + 1])
    }
  }

  /// The attributes as a JSON list of pairs of strings; nil when there are none.
  package static func json(_ attributes: [OfferAttribute]) -> String? {
    if attributes.isEmpty { return nil }
    var json = JSONWriter()
    json.array { json in
      for attribute in attributes {
        json.array { json in
          json.value(attribute.label)
          json.value(attribute.value)
        }
      }
    }
    return json.text
  }
}
