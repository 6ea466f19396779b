import OffersCore
import OffersStore

/// The row of an offer, as the fields of a record set it.
enum OfferRow {
  /// The columns of the fields, in the order of `OfferField`.
  private static let fieldColumns = [
    "id", "name", "description", "terms", "reward_text", "image_url", "url", "retailer", "categories",
    "starts_at", "expires_at", "latitude", "longitude", "attributes",
  ]
  /// The columns that `bind` binds, in the order of the parameters.
  private static let boundColumns =
    fieldColumns + [
      "content_hash", "reward_minor_units", "reward_currency", "reward_percent_hundredths",
      "reward_up_to", "name_key", "retailer_key", "category_keys",
    ]
  /// The number of the parameter after those that `bind` binds.
  static let firstOther = Int32(boundColumns.count + 1)
  private static let firstReward = Int32(fieldColumns.count + 2)
  private static let firstKey = firstReward + 4

  /// Inserts an offer. The further parameters are its key, its feed, the time, and the values of `found_at`
  /// and `first_run_id`.
  static var insertSQL: String {
    let columns = boundColumns.joined(separator: ", ")
    let parameters = (1..<firstOther).map { "?\($0)" }.joined(separator: ", ")
    let other = firstOther
    return """
      INSERT INTO offer (
        \(columns), offer_key, feed_key, first_seen_at, changed_at, found_at, first_run_id)
      VALUES (\(parameters), ?\(other), ?\(other + 1), ?\(other + 2), ?\(other + 2), ?\(other + 3),
        ?\(other + 4))
      ON CONFLICT (feed_key, id) DO NOTHING
      """
  }

  /// Updates an offer, which keeps its id. The further parameters are the time of the change, NULL to keep
  /// it, the value of `found_at`, and the key.
  static var updateSQL: String {
    let columns = boundColumns.enumerated().dropFirst()
      .map { "\($1) = ?\($0 + 1)" }.joined(separator: ", ")
    return """
      UPDATE offer SET \(columns), changed_at = coalesce(?\(firstOther), changed_at),
        found_at = ?\(firstOther + 1), gone_at = NULL
      WHERE offer_key = ?\(firstOther + 2)
      """
  }

  /// Binds the fields of a record, and runs `body` while they are valid.
  static func bind<Result>(
    _ record: OfferRecord, to statement: RawStatement, _ body: () throws -> Result
  ) rethrows -> Result {
    var (name, retailer, categories): (UnsafeRawBufferPointer?, UnsafeRawBufferPointer?, [String]?)
    record.forEachField { field, text in
      statement.bind(Int32(field.rawValue + 1), text)
      switch field {
      case .name: name = text
      case .retailer: retailer = text
      case .categories:
        categories = text.map { JSONTexts.parse(String(decoding: $0, as: UTF8.self)) }
      default: break
      }
    }
    statement.bind(firstReward - 1, Int64(bitPattern: record.contentHash))
    bindReward(record, to: statement)
    statement.bind(firstKey + 1, copying: retailer.map { NaturalOrder.key($0) })
    statement.bind(firstKey + 2, copying: categories.map { NaturalOrder.keys($0) })
    guard let name else {
      statement.bindNull(firstKey)
      return try body()
    }
    return try NaturalOrder.key(name).withUnsafeBytes { key in
      statement.bind(firstKey, bytes: key)
      return try body()
    }
  }

  private static func bindReward(_ record: OfferRecord, to statement: RawStatement) {
    let reward = record.rewardParts
    let isAmount = reward.kind == OfferRecord.amount
    statement.bind(firstReward, number: isAmount ? reward.number : nil)
    statement.bind(firstReward + 1, isAmount ? reward.currency : nil)
    statement.bind(
      firstReward + 2, number: reward.kind == OfferRecord.percent ? reward.number : nil)
    statement.bind(firstReward + 3, record.isUpTo ? 1 : 0)
  }
}

/// Offers of an export.
extension OfferRow {
  private static let importedColumns = boundColumns + ["first_seen_at", "changed_at", "gone_at"]
  /// The number of the parameter after those of an export's offer.
  static let firstImported = Int32(importedColumns.count + 1)

  /// Inserts an offer. The further parameters are its key, its feed and the value of `first_run_id`.
  static var importSQL: String {
    let parameters = (1..<firstImported + 3).map { "?\($0)" }.joined(separator: ", ")
    return """
      INSERT INTO offer (
        \(importedColumns.joined(separator: ", ")), offer_key, feed_key, first_run_id)
      VALUES (\(parameters))
      """
  }

  /// Updates an offer, which keeps its id. The further parameters are whether its content differs, and its
  /// key.
  static var importUpdateSQL: String {
    let columns = importedColumns.enumerated()
      .filter { !["id", "content_hash"].contains($1) }.map { "\($1) = ?\($0 + 1)" }
    return """
      UPDATE offer SET \(columns.joined(separator: ", ")), found_at = NULL,
        content_hash = CASE WHEN ?\(firstImported) THEN 0 ELSE content_hash END
      WHERE offer_key = ?\(firstImported + 1)
      """
  }

  static func bind(_ offer: ExportedOffer, to statement: RawStatement) {
    let texts = [
      offer.ref.offerID, offer.name, offer.description, offer.terms, offer.reward?.text,
      offer.imageURL, offer.url, offer.retailer, offer.categories,
    ]
    for (index, text) in texts.enumerated() { statement.bind(Int32(index + 1), copying: text) }
    statement.bind(10, number: offer.startsAt)
    statement.bind(11, number: offer.expiresAt)
    statement.bind(12, real: offer.latitude)
    statement.bind(13, real: offer.longitude)
    statement.bind(14, copying: offer.attributes)
    statement.bind(firstReward - 1, 0)
    statement.bind(firstReward, number: offer.reward?.minorUnits)
    statement.bind(firstReward + 1, copying: offer.reward?.storedCurrency)
    statement.bind(firstReward + 2, number: offer.reward?.percentHundredths)
    statement.bind(firstReward + 3, offer.reward?.isUpTo == true ? 1 : 0)
    statement.bind(firstKey, copying: NaturalOrder.key(offer.name))
    statement.bind(firstKey + 1, copying: offer.retailer.map { NaturalOrder.key($0) })
    statement.bind(
      firstKey + 2, copying: offer.categories.map { NaturalOrder.keys(JSONTexts.parse($0)) })
    statement.bind(firstOther, offer.firstSeenAt)
    statement.bind(firstOther + 1, offer.changedAt)
    statement.bind(firstOther + 2, number: offer.goneAt)
  }
}
