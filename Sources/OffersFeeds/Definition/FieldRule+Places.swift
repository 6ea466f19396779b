extension FieldRule {
  /// Where the value comes from, in words for people: `title`, or `summary or body`.
  package var places: String {
    alternatives.map { alternative in
      switch alternative.value {
      case .path(let path): path.description
      case .template(let template): template.description
      case .constant(let text): "“\(text)”"
      }
    }.joined(separator: " or ")
  }
}

extension IDRule {
  /// Where the identity comes from, in words for people: `sku`, or `name and city`.
  package var places: String {
    switch self {
    case .value(let rule): rule.places
    case .valueOrMade(let rule, let paths): rule.places + " or " + Self.madeFrom(paths).places
    case .madeFrom(let paths): paths.map(\.description).joined(separator: " and ")
    }
  }
}
