extension SyncRun {
  /// The run without the values in its addresses (`AddressRedaction`), as it is kept, shown and logged.
  package func hidingAddresses() -> SyncRun {
    changed {
      $0.source = AddressRedaction.hidden(in: source)
      $0.error = error.map { $0.hidingAddresses(with: source) }
    }
  }

  /// The run with `Hint.printed` as the hint of its error.
  package var withCommands: SyncRun { with(error?.withCommands) }
}

extension OffersError {
  /// The error without the values in the addresses of its texts.
  ///
  /// - Parameter source: a source that the texts may repeat, which may have spaces in it; nil for none.
  package func hidingAddresses(with source: String? = nil) -> OffersError {
    func hidden(_ text: String) -> String {
      let text =
        source.map { text.replacing(bytes: $0, with: AddressRedaction.hidden(in: $0)) } ?? text
      return AddressRedaction.hidden(inText: text)
    }
    return OffersError(
      code, hidden(message), advice: advice?.map(hidden), cause: cause.map(hidden))
  }
}
