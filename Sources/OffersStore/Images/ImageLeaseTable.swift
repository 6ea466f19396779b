import OffersCore

/// The SQL for the leases that let one program at a time fetch an image. How a lease is taken depends on
/// the engine.
package enum ImageLeaseTable {
  /// Ends a lease: that of the holder, or any if `holder` is nil.
  package static func end(
    _ url: String, holder: Int64?, in transaction: any Transaction
  ) throws {
    try transaction.run(
      "DELETE FROM image_lease WHERE url = $1 AND ($2 IS NULL OR holder = $2)",
      [.text(url), .number(holder)])
  }
}
