/// Whether the day or the month comes first, in a feed that writes `01/02/2026`.
package enum DateOrder: String, Sendable, Hashable, CaseIterable {
  /// The first of February.
  case dmy
  /// The second of January.
  case mdy
}
