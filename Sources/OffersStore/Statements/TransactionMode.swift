/// What a transaction is for, which decides how it runs.
package enum TransactionMode: Sendable {
  /// Reads one state of the data by any number of queries.
  case read
  /// A single query, which needs no transaction.
  case query
  /// A write.
  case write
  /// A write that leaves the same data if it is made twice, so that it may be made again after
  /// a connection was lost during its commit.
  case repeatableWrite
  /// A write that changes nothing that a program keeps a copy of: the version of the data stays.
  case uncountedWrite
  /// A repeatable write that is worth no wait: a power cut may lose it, and it waits for other writers
  /// for two seconds only.
  case note
  /// A note that is made even if the store was opened for reading only.
  case noteOfReader

  /// An image or what is known of one, which can be fetched again: a power cut may lose it.
  case image
  /// As `image`, for what a program keeps no copy of.
  case uncountedImage
  /// The uses of images: as `image`, and it waits for other writers for two seconds only.
  case imageNote
}
