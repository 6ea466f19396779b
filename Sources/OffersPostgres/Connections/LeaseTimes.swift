/// The times of the leases of syncs. Tests shorten them.
struct LeaseTimes: Sendable {
  /// How long a lease lasts without being renewed. A transaction of a program that has stopped is
  /// ended after the same time (`Database.write`): so another program gets its lease, and the locks
  /// that it had, within twice this time.
  var seconds = 10.0
  /// After how much time it is renewed.
  var renewalSeconds = 3.0
}
