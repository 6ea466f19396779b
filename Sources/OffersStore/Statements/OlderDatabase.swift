import OffersCore

/// A database of a version before the first migration.
package enum OlderDatabase {
  /// The error that refuses it.
  ///
  /// - Parameter name: the database, as a sentence begins with it.
  package static func refusal(_ name: String) -> OffersError {
    OffersError(
      .storageFailed,
      "\(name) was written by a version of the program that is too old to be brought up to date. "
        + "It was left untouched.",
      hint:
        "Export it with the version that wrote it last, and import the export with this one into "
        + "a new database.")
  }
}
