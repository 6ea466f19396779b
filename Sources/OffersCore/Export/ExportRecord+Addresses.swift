// The addresses in the records of an export. A whole export is for its user, who has named the sources; one of
// favorites is to give to somebody else.

extension ExportedFeed {
  /// Hides the values in the address that was read last (`AddressRedaction`).
  ///
  /// - Parameter isForOthers: whether the record is for somebody else. Then the address that was read last
  ///   is left out, and so are a named source with values, and the definition, which may have values, too.
  package mutating func hideAddresses(isForOthers: Bool) {
    source = AddressRedaction.exported(source, isForOthers: isForOthers)
    if isForOthers { definition = nil }
    if isForOthers, let chosen = chosenSource, AddressRedaction.hidden(in: chosen) != chosen {
      chosenSource = nil
    }
  }
}

extension ExportedRun {
  /// Hides the values in the addresses of the source and of the error (`AddressRedaction`).
  ///
  /// - Parameter isForOthers: whether the record is for somebody else. Then the address is left out, and
  ///   so are the texts of the error, which may name it.
  package mutating func hideAddresses(isForOthers: Bool) {
    source = AddressRedaction.exported(source, isForOthers: isForOthers)
    guard let failure = error else { return }
    error =
      isForOthers
      ? Failure(code: failure.code, message: "The sync did not succeed.", hint: nil)
      : Failure(
        code: failure.code, message: AddressRedaction.hidden(inText: failure.message),
        hint: failure.hint.map { AddressRedaction.hidden(inText: $0) })
  }
}

extension AddressRedaction {
  fileprivate static func exported(_ source: String, isForOthers: Bool) -> String {
    // These words are no addresses. After an import they tell a sync whether it may replace the offers by
    // those of the sample.
    let words = [SyncSource.sample.text, SyncSource.standardInput.text]
    return isForOthers && !words.contains(source) ? mark : hidden(in: source)
  }
}
