import OffersCore

extension OfferTable {
  /// The number of offers that one statement reads.
  private static let pieceCount = 200

  /// The first offers, in the order of the keys, whose texts have at most `maximumBytes` together;
  /// at least one.
  ///
  /// - Parameters:
  ///   - keys: the keys.
  ///   - user: the user who sees the offers.
  ///   - maximumBytes: the bound of the texts, in bytes of UTF-8.
  ///   - textBytes: the size to which texts are truncated; nil for whole offers.
  ///   - transaction: runs the statements.
  /// - Returns: also the number of keys consumed, those of removed offers included.
  static func page(
    keys: some Collection<Int64>, of user: User.ID, maximumBytes: Int, textBytes: Int? = nil,
    in transaction: any Transaction
  ) throws -> (offers: [UserOffer], keyCount: Int) {
    func fit(_ offer: UserOffer) -> UserOffer {
      textBytes.map { offer.abridged(toBytes: $0) } ?? offer
    }
    var offers: [UserOffer] = []
    var bytes = 0
    var count = 0
    while count < keys.count {
      let piece = keys.dropFirst(count).prefix(pieceCount)
      var found: [Int64: UserOffer] = [:]
      var foundBytes = 0
      try forEach(of: piece, user, in: transaction) { stored in
        let offer = fit(stored.offer)
        foundBytes += offer.textBytes
        found[stored.key] = offer
        return bytes + foundBytes <= maximumBytes
      }
      if bytes + foundBytes <= maximumBytes {
        offers += piece.compactMap { found[$0] }
        bytes += foundBytes
        count += piece.count
        continue
      }
      // The limit was exceeded, and the rows came in no particular order. Read one offer at a time in
      // the order of the keys, so that not all are in memory at once.
      found = [:]
      for key in piece {
        guard let offer = try find(key: key, of: user, in: transaction).map(fit) else {
          count += 1
          continue
        }
        bytes += offer.textBytes
        if bytes > maximumBytes, !offers.isEmpty { return (offers, count) }
        offers.append(offer)
        count += 1
      }
    }
    return (offers, count)
  }
}
