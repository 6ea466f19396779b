/// The fields of an offer, in the order of a record.
package enum OfferField: Int, CaseIterable, Sendable {
  case id
  case name
  case description
  case terms
  case reward
  case imageURL
  case url
  case retailer
  /// A JSON list of texts.
  case categories
  /// Unix seconds in decimal, like `expiresAt`.
  case startsAt
  case expiresAt
  /// Degrees in decimal, like `longitude`.
  case latitude
  case longitude
  /// A JSON list of pairs of strings, a label and a value.
  case attributes

  package static let count = allCases.count

  /// The fields before the details, without the id.
  package static let main = allCases[1..<retailer.rawValue]

  /// The optional fields from the retailer on, which many offers lack.
  package static let details = allCases[retailer.rawValue...]

  /// The fields whose value is one text, without the id and the reward.
  package static let texts = allCases.filter { [.line, .text, .link].contains($0.kind) }

  /// The form of a field's value.
  package enum Kind: Sendable {
    case id
    /// A text on one line.
    case line
    /// A text with lines and paragraphs.
    case text
    /// An address.
    case link
    /// A printed reward or price.
    case reward
    /// A JSON list.
    case list
    /// Unix seconds.
    case time
    /// A coordinate.
    case degrees
  }

  /// The form of the field's value, which determines how it is read, limited and stored.
  package var kind: Kind {
    switch self {
    case .id: .id
    case .name, .retailer: .line
    case .description, .terms: .text
    case .imageURL, .url: .link
    case .reward: .reward
    case .categories, .attributes: .list
    case .startsAt, .expiresAt: .time
    case .latitude, .longitude: .degrees
    }
  }

  /// The field's name in JSON and in a change's list of fields.
  package var name: String {
    switch self {
    case .id: "id"
    case .name: "name"
    case .description: "description"
    case .terms: "terms"
    case .reward: "reward"
    case .imageURL: "image_url"
    case .url: "url"
    case .retailer: "retailer"
    case .categories: "categories"
    case .startsAt: "starts_at"
    case .expiresAt: "expires_at"
    case .latitude: "latitude"
    case .longitude: "longitude"
    case .attributes: "attributes"
    }
  }
}
