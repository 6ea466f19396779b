/// The order of the results of a search: by the sum of the best weight of each part of the search, then in
/// the order in which offers were found.
package enum SearchRank {
  /// A field's weight for a word that only begins with the searched one. A whole word, and each part of the
  /// search but the last one, counts `wholeFactor` times as much.
  package static func weight(of field: SearchMatch.Field) -> Int {
    switch field {
    case .name: 20
    case .retailer: 10
    case .description, .categories: 6
    case .attributes, .terms: 3
    }
  }

  package static let wholeFactor = 2

  /// The different weights, the highest first.
  package static let weights = Set(SearchMatch.Field.allCases.map(weight)).sorted(by: >)
}
