import GRDB
import OffersCore

/// An offer as it stands in the database, to be compared with what a feed says now.
struct StoredOffer {
  let texts: [OfferField: String]
  let reward: Reward?
  let isGone: Bool

  /// The fields that differ as `{"name":{"from":…,"to":…}}`, or nil when none does. The reward is
  /// compared and told with its exact value.
  func difference(to record: OfferRecord) -> String? {
    var json = JSONWriter()
    var differs = false
    json.object { json in
      record.forEachField { field, text in
        let new = text.map { String(decoding: $0, as: UTF8.self) }
        if field == .reward {
          let newReward = new.map {
            Reward(text: $0, value: record.rewardValue, isUpTo: record.isUpTo)
          }
          guard newReward != reward else { return }
          Self.write(field, &json, { $0.value(reward) }, { $0.value(newReward) })
        } else {
          // Compared byte by byte: two spellings of one character are a change of the text.
          guard !Self.isSame(new, texts[field]) else { return }
          Self.write(field, &json, { $0.value(texts[field]) }, { $0.value(new) })
        }
        differs = true
      }
    }
    return differs ? json.text : nil
  }

  private static func isSame(_ left: String?, _ right: String?) -> Bool {
    guard let left, let right else { return left == nil && right == nil }
    return left.utf8.elementsEqual(right.utf8)
  }

  private static func write(
    _ field: OfferField, _ json: inout JSONWriter, _ old: (inout JSONWriter) -> Void,
    _ new: (inout JSONWriter) -> Void
  ) {
    json.key(field.name)
    json.object { json in
      json.key("from")
      old(&json)
      json.key("to")
      new(&json)
    }
  }
}

/// Finds an offer by its key.
struct StoredOfferQuery {
  private let statement: Statement

  init(_ database: Database) throws {
    statement = try database.makeStatement(
      sql: """
        SELECT id, name, description, terms, image_url, url, gone_at, reward_text,
          reward_minor_units, reward_currency, reward_percent_hundredths, reward_up_to
        FROM offer WHERE offer_key = ?
        """)
  }

  func find(_ key: Int64) throws -> StoredOffer? {
    try Row.fetchOne(statement, arguments: [key]).map { row in
      var texts: [OfferField: String] = [:]
      for field in OfferField.allCases where field != .reward {
        texts[field] = row[field.name] as String?
      }
      return StoredOffer(
        texts: texts, reward: OfferTable.reward(from: row),
        isGone: (row["gone_at"] as Int64?) != nil)
    }
  }
}
