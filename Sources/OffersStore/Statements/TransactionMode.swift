/// The purpose of a transaction, from which an engine derives isolation, durability, waits and retries.
///
/// A repeatable write leaves the same data if it is made twice, so that PostgreSQL's store may make it again
/// after a connection was lost during its commit.
package enum TransactionMode: Sendable {
  /// Reads one state of the data by any number of queries.
  case read
  /// As `read`, but not made again after a lost connection: the caller has passed on some of what was read.
  case export
  /// A single query, which needs no transaction.
  case query
  /// A look-up of a row by its key, also of one that is large. A file is read on the calling thread, because
  /// passing such a short read to another thread takes longer than the read.
  case lookup
  /// A write.
  case write
  /// A write that removes offers, changes or runs. It waits for syncs, and syncs wait for it.
  case removal
  /// A write of a sync. A server refuses it if another program has been given the lease of a feed that
  /// is being synced.
  case sync
  /// As `sync`, for a run that changed no offer: a power cut may lose it in a file.
  case syncNote
  /// A write that is rolled back.
  case trial
  /// A repeatable write.
  case repeatableWrite
  /// A repeatable write of the favorites of one user, which waits for no other write of theirs.
  case favorites
  /// A repeatable write of what no program keeps a copy of: the version of the data stays.
  case repeatableUncountedWrite
  /// A repeatable write that is worth no wait: a power cut may lose it in a file, where it waits for other
  /// writers for two seconds only.
  case note
  /// A note that is made even if the store was opened for reading only.
  case noteOfReader

  /// An image or what is known of one, which can be fetched again: a power cut may lose it.
  case image
  /// As `image`, for what a program keeps no copy of.
  case uncountedImage
  /// The uses of images: as `image`, and in a file it waits for other writers for two seconds only.
  case imageNote

  /// Whether it writes images, or what is known of them, only.
  var isOfPictures: Bool { self == .image || self == .uncountedImage || self == .imageNote }
}
