import OffersCore

extension ChangedFields {
  /// An SQL expression for the column `change.fields`. In a large row it replaces the values of all fields
  /// except the reward by 0, for uses of the reward only.
  static func column(_ dialect: Dialect) -> String {
    column(wholeUpTo: usualLength, dialect)
  }

  /// The column with the texts before and after the change. In a row above `longestLength` it replaces them
  /// by 0.
  static func columnWithTexts(_ dialect: Dialect) -> String {
    column(wholeUpTo: longestLength, dialect)
  }

  private static func column(wholeUpTo length: Int, _ dialect: Dialect) -> String {
    """
    CASE WHEN length(change.fields) <= \(length) THEN change.fields
      ELSE \(dialect.jsonObject("change.fields", keeping: OfferField.reward.name)) END
    """
  }

  /// The length above which a row is large, in characters. A shorter row is parsed faster as it is.
  private static let usualLength = 8 << 10
  /// The length of a row, in characters, up to which its texts are read.
  private static let longestLength = 256 << 10
}
