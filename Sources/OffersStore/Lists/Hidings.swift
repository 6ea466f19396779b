import Foundation
import OffersCore

extension OffersDatabase {
  /// What the user hides, in the order in which it was hidden. A selection of a newer program is left out.
  public func fetchHidings() async throws(OffersError) -> [Hiding] {
    try await transaction(.query) { [user] in try HidingTable.list(of: user, in: $0) }
  }

  /// Hides an offer, or the offers of a selection.
  ///
  /// - Parameters:
  ///   - text: a reference or a bare id of a stored offer, or else the text of a selection by words, feeds, retailers and
  ///     categories.
  ///   - now: the present time.
  /// - Returns: the hiding, and whether it is new.
  /// - Throws: `OffersError`: `invalidRequest` for a favorite, for a text with other filters, and for too many hidings;
  ///   `notFound` for an unknown feed; `ambiguous` for an id of several feeds.
  @discardableResult
  public func hide(
    _ text: String, now: Date = Date()
  ) async throws(OffersError) -> (hiding: Hiding, didChange: Bool) {
    let typed = SearchWords.spaced(text)
    return try await transaction(.write) { [user, definitions] transaction in
      try UserTable.check(user, isExclusive: true, in: transaction)
      let (subject, name) = try HidingTable.subject(
        named: typed, of: user, definitions, in: transaction)
      let known = try HidingTable.list(of: user, in: transaction)
      let hiding = Hiding(subject, name: name, createdAt: now)
      if let same = known.first(where: hiding.isSame) { return (same, false) }
      try HidingTable.insert(hiding, of: user, beside: known, in: transaction)
      return (hiding, true)
    }
  }

  /// Shows again what the user hid.
  ///
  /// - Parameter text: the text of a hiding, without regard to case, or the bare id of its offer.
  /// - Throws: `OffersError` with `notFound`, or with `ambiguous` for the id of several hidden offers.
  @discardableResult
  public func unhide(_ text: String) async throws(OffersError) -> Hiding {
    let typed = SearchWords.spaced(text)
    return try await transaction(.write) { [user] transaction in
      try UserTable.check(user, isExclusive: true, in: transaction)
      let known = try HidingTable.list(of: user, in: transaction)
      let found = known.filter { $0.isNamed(typed) }
      guard let hiding = found.first else {
        throw OffersError(
          .notFound, "“\(typed)” is not hidden.",
          hint: NearestWord.find(typed, among: known.map(\.text)).map { "Did you mean \($0)?" }
            ?? Hint("See what is hidden.", command: "offers hide"))
      }
      if found.count > 1 {
        throw OffersError(
          .ambiguous, "Several hidden offers have the id “\(typed)”.",
          hint: "Say which: \(found.map(\.text).joined(separator: ", ")).")
      }
      try HidingTable.delete(hiding.subject, of: user, in: transaction)
      return hiding
    }
  }

  /// The current offers that a hiding keeps out, and the favorites among its offers, which stay.
  package func countOffers(
    hiddenBy hiding: Hiding, now: Date = Date()
  ) async throws(OffersError) -> (hidden: Int, favorites: Int) {
    var query = OfferQuery(now: now)
    switch hiding.subject {
    case .offer(let ref):
      guard let offer = try await findOffer(ref) else { return (0, 0) }
      let isListed = !offer.isGone && !offer.isExpired(at: now)
      return (isListed && !offer.isFavorite ? 1 : 0, offer.isFavorite ? 1 : 0)
    case .selection(let text):
      guard let selection = text.namedSelection else { return (0, 0) }
      query.selection = selection
    }
    do {
      query.selection.hiddenOnly = true
      let hidden = try await countOffers(query)
      (query.selection.hiddenOnly, query.selection.favoritesOnly) = (false, true)
      return (hidden, try await countOffers(query))
    } catch {
      // Its feed may have been removed.
      guard error.code == .notFound else { throw error }
      return (0, 0)
    }
  }

  /// The stored ones of some offers that are hidden.
  package func findHidden(among refs: [OfferRef]) async throws(OffersError) -> Set<OfferRef> {
    try await read { [user] in try HidingTable.hidden(among: refs, from: user, in: $0) }
  }
}

/// The SQL for what users hide.
enum HidingTable {
  static func isAny(of user: User.ID, in transaction: any Transaction) throws -> Bool {
    try transaction.exists(
      "SELECT 1 FROM hiding WHERE user_key = $1 LIMIT 1", [.number(user)], isFrequent: true)
  }

  static func list(of user: User.ID, in transaction: any Transaction) throws -> [Hiding] {
    try transaction.rows(
      """
      SELECT hiding.selection, hiding.feed, hiding.id, hiding.created_at, offer.name
      FROM hiding LEFT JOIN feed ON feed.name = hiding.feed
      LEFT JOIN offer ON offer.feed_key = feed.feed_key AND offer.id = hiding.id
      WHERE hiding.user_key = $1 ORDER BY hiding.hiding_key
      """, [.number(user)]
    ) { row in
      subject(row).map { Hiding($0, name: row.findText(4), createdAt: row.date(3)) }
    }.compactMap(\.self)
  }

  static func subjects(
    of user: User.ID, in transaction: any Transaction
  ) throws -> [Hiding.Subject] {
    try transaction.rows(
      "SELECT selection, feed, id FROM hiding WHERE user_key = $1 ORDER BY hiding_key",
      [.number(user)], subject
    ).compactMap(\.self)
  }

  /// The subject in the first columns of a row; nil for a selection of a newer program.
  private static func subject(_ row: any SQLRow) -> Hiding.Subject? {
    let selection = row.text(0)
    if !selection.isEmpty { return try? Hiding.Subject(parsing: selection) }
    return .offer(OfferRef(feed: row.text(1), offerID: row.text(2)))
  }

  /// The condition that a user hides an offer of a table `offer`; nil if the user hides nothing.
  ///
  /// - Throws: `SearchIndexMissing` for hidden words while the index is not current.
  static func isHidden(
    from user: User.ID, _ bindings: inout Bindings, in transaction: any Transaction
  ) throws -> String? {
    // The single offers are not read, as they may be many.
    let selections = try transaction.rows(
      """
      SELECT DISTINCT selection FROM hiding WHERE user_key = $1 ORDER BY selection
      """, [.number(user)], isFrequent: true
    ) { $0.text(0) }
    if selections.isEmpty { return nil }
    // The parameters are added only if a statement has them.
    var added = bindings
    let owner = added.add(.number(user))
    var parts: [String] = []
    for text in selections {
      if text.isEmpty {
        parts.append(
          """
          offer.offer_key IN (SELECT offer.offer_key FROM hiding JOIN feed ON feed.name = hiding.feed
            JOIN offer ON offer.feed_key = feed.feed_key AND offer.id = hiding.id
            WHERE hiding.user_key = \(owner) AND hiding.selection = '')
          """)
        continue
      }
      guard case .selection(let known)? = try? Hiding.Subject(parsing: text),
        let selection = known.namedSelection
      else { continue }
      let conditions = try OfferConditions(
        selection, for: .hiding, at: .distantPast, of: user, feeds: NamedFeeds(), pricedFeeds: [],
        after: added, in: transaction)
      added = conditions.bindings
      parts.append("(\(conditions.parts.joined(separator: " AND ")))")
    }
    if parts.isEmpty { return nil }
    bindings = added
    return """
      coalesce(\(parts.joined(separator: " OR ")), false)
        AND offer.offer_key NOT IN (\(FavoriteTable.offerKeys(of: owner)))
      """
  }

  static func hidden(
    among refs: [OfferRef], from user: User.ID, in transaction: any Transaction
  ) throws -> Set<OfferRef> {
    let tables = OfferColumns.source(of: refs, first: 1, transaction.dialect)
    var bindings = Bindings(tables.values)
    guard let isHidden = try isHidden(from: user, &bindings, in: transaction) else { return [] }
    return Set(
      try transaction.rows(
        "SELECT feed.name, offer.id FROM \(tables.sql) WHERE \(isHidden)", bindings.values,
        FavoriteTable.ref))
  }

  /// The subject that a person named, and the name of its offer.
  static func subject(
    named typed: String, of user: User.ID, _ definitions: (any FeedDefinitions)?,
    in transaction: any Transaction
  ) throws -> (Hiding.Subject, name: String?) {
    do {
      let offer = try OfferTable.fetch(named: typed, of: user, in: transaction).offer
      if offer.isFavorite {
        throw OffersError(
          .invalidRequest, "\(offer.ref) is a favorite, and favorites are never hidden.",
          hint: Hint("Remove its star first.", command: "offers favorite \(offer.ref) --remove"))
      }
      return (.offer(offer.ref), offer.name)
    } catch let error as OffersError where error.code == .notFound {
      // A text that begins with the name of a feed is a reference.
      if let ref = OfferRef(typed), try FeedTable.findKey(ref.feed, in: transaction) != nil {
        throw error
      }
    }
    let subject = try Hiding.Subject(parsing: typed)
    if case .selection(let text) = subject, let selection = text.namedSelection {
      _ = try NamedFeeds(selection.feeds, definitions, in: transaction)
    }
    return (subject, nil)
  }

  /// Inserts a hiding of a locked user.
  ///
  /// - Parameter known: those that the user has.
  /// - Throws: `OffersError` with `invalidRequest` for too many.
  static func insert(
    _ hiding: Hiding, of user: User.ID, beside known: [Hiding], in transaction: any Transaction
  ) throws {
    func isOffer(_ subject: Hiding.Subject) -> Bool {
      if case .offer = subject { true } else { false }
    }
    let isOfOffer = isOffer(hiding.subject)
    let same = known.filter { isOffer($0.subject) == isOfOffer }
    let limit = isOfOffer ? Hiding.offerLimit : Hiding.selectionLimit
    if same.count >= limit {
      // Single offers give way once they are no longer stored.
      guard isOfOffer, let oldest = same.first(where: { $0.name == nil }) else {
        throw OffersError(
          .invalidRequest,
          "A user hides at most \(limit) \(isOfOffer ? "single offers" : "selections").",
          hint: Hint("Show one again.", command: "offers hide WHAT --remove"))
      }
      try delete(oldest.subject, of: user, in: transaction)
    }
    try transaction.run(
      """
      INSERT INTO hiding (user_key, selection, feed, id, created_at) VALUES ($1, $2, $3, $4, $5)
      """, [.number(user)] + key(hiding.subject) + [.date(hiding.createdAt)])
  }

  static func delete(
    _ subject: Hiding.Subject, of user: User.ID, in transaction: any Transaction
  ) throws {
    try transaction.run(
      "DELETE FROM hiding WHERE user_key = $1 AND selection = $2 AND feed = $3 AND id = $4",
      [.number(user)] + key(subject))
  }

  /// The columns `selection`, `feed` and `id`.
  private static func key(_ subject: Hiding.Subject) -> [SQLValue] {
    switch subject {
    case .offer(let ref): [.text(""), .text(ref.feed), .text(ref.offerID)]
    case .selection(let text): [.text(text.description), .text(""), .text("")]
    }
  }
}
