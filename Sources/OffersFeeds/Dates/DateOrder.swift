/// Whether the day or the month comes first, in a feed that writes `01/02/2026`.
package enum DateOrder: String, Sendable, Hashable, CaseIterable {
  /// The day comes first: `01/02/2026` is February 1.
  case dmy
  /// The month comes first: `01/02/2026` is January 2.
  case mdy
}
