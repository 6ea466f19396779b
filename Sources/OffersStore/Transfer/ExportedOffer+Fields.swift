import OffersCore

/// The fields of an exported offer by their columns.
extension ExportedOffer {
  /// The value of a field whose column is a text.
  package func text(_ field: OfferField) -> String? {
    switch field {
    case .id: ref.offerID
    case .name: name
    case .description: description
    case .terms: terms
    case .reward: reward?.text
    case .imageURL: imageURL
    case .url: url
    case .retailer: retailer
    case .categories: categories
    case .attributes: attributes
    case .startsAt, .expiresAt, .latitude, .longitude: nil
    }
  }

  /// The value of a field whose column is a time.
  package func seconds(_ field: OfferField) -> Int64? {
    field == .startsAt ? startsAt : field == .expiresAt ? expiresAt : nil
  }

  /// The value of a field whose column is a coordinate.
  package func degrees(_ field: OfferField) -> Double? {
    field == .latitude ? latitude : field == .longitude ? longitude : nil
  }
}
