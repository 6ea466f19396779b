import OffersCore

extension ChangedFields {
  /// An SQL expression for the `fields` column. In a large row it replaces the values of all fields
  /// except the reward by 0, because only the reward's values are used.
  static let column = column(wholeUpTo: usualLength)

  /// The column with the texts before and after the change. A row above `longestLength` has the names of
  /// the changed fields only.
  static let columnWithTexts = column(wholeUpTo: longestLength)

  private static func column(wholeUpTo length: Int) -> String {
    let others = OfferField.allCases.filter { $0 != .reward }.map { "'$.\($0.name)', 0" }
    return """
      CASE WHEN length(change.fields) > \(length) AND json_valid(change.fields)
        THEN json_replace(change.fields, \(others.joined(separator: ", ")))
        ELSE change.fields END
      """
  }

  /// The length above which a row is large, in characters. A shorter row is parsed faster as it is.
  private static let usualLength = 8 << 10
  /// The length of a row, in characters, up to which its texts are read.
  private static let longestLength = 256 << 10
}
