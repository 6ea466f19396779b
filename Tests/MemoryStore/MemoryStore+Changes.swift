import OffersCore

extension MemoryStore: ChangeRepository {
  package func fetchChanges(
    _ query: ChangeQuery
  ) async throws -> (changes: [OfferChange], lastID: Int64) {
    try read { (try $0.changes(query, of: user), $0.lastChangeID) }
  }

  package func fetchChangePage(_ query: ChangeQuery) async throws -> ChangePage {
    try read { try $0.changePage(query, of: user) }
  }

  package func findMark(of reader: String) async throws -> ReaderMark? {
    try read { $0.record(of: user).marks[Array(reader.utf8)] }
  }

  package func setMark(_ mark: ReaderMark, of reader: String) async throws {
    try StoredText.check(reader)
    try write { state in
      try state.changeRecord(of: user) { record in
        let name = Array(reader.utf8)
        let old = record.marks[name]
        record.marks[name] = ReaderMark(
          changeID: max(old?.changeID ?? mark.changeID, mark.changeID),
          readAt: max(old?.readAt ?? .distantPast, mark.readAt.inSeconds))
      }
    }
  }

  package func fetchHistory(
    named text: String, _ bounds: HistoryBounds
  ) async throws -> HistoryPage {
    try read { state in
      let offer = try state.fetch(named: text)
      let changes = state.changes.filter {
        $0.key == offer.key
          && ($0.kind == .gone || $0.kind == .back || $0.isOfReward || !$0.texts.isEmpty)
      }
      let earlier = changes.filter { $0.id < bounds.before ?? .max }
      var listed: [MemoryChange] = []
      var bytes = 0
      for change in earlier.reversed() {
        let rewards = change.isOfReward ? [change.oldReward, change.reward] : []
        bytes += rewards.reduce(0) { $0 + ($1?.text.utf8.count ?? 0) }
        bytes += change.texts.reduce(0) { $0 + $1.byteCount }
        if !listed.isEmpty, listed.count >= bounds.limit || bytes > bounds.maximumBytes { break }
        listed.insert(change, at: 0)
      }
      // The first sighting is a point as well; without room for it, it begins the page before.
      let isCut =
        listed.count < earlier.count || (!listed.isEmpty && listed.count >= bounds.limit)
      var points: [RewardPoint] = []
      if !isCut {
        let rewards = changes.filter(\.isOfReward)
        points.append(
          RewardPoint(
            at: offer.firstSeenAt, event: .new,
            reward: rewards.isEmpty ? offer.content.reward : rewards[0].oldReward))
      }
      points += listed.map { change in
        RewardPoint(
          at: change.at, event: RewardPoint.Event(rawValue: change.told.rawValue) ?? .changed,
          reward: change.reward, texts: change.texts)
      }
      return HistoryPage(
        offer: state.view(offer, of: user), points: points, before: isCut ? listed.first?.id : nil)
    }
  }
}
