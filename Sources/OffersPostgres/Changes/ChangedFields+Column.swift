import OffersCore

extension ChangedFields {
  /// An SQL expression for the `fields` column. In a row above 256 Ki characters it replaces the values of
  /// all fields except the reward by 0. The type `jsonb` could not hold the character U+0000.
  static let column = """
    CASE WHEN length(change.fields) <= \(256 << 10) THEN change.fields
      ELSE (
        SELECT json_object_agg(key, CASE key WHEN '\(OfferField.reward.name)' THEN value ELSE '0' END)
        FROM json_each(change.fields::json))::text
      END
    """
}
