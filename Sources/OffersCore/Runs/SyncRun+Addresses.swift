extension SyncRun {
  /// The run without the values in its addresses (`AddressRedaction`), as it is kept, shown and logged.
  ///
  /// The remedy of its error keeps the source, with which an app can take the step (`AdvisedStep`).
  package func hidingAddresses() -> SyncRun { hidingAddresses { $0.hidingAddresses(with: source) } }

  /// The run of a stored row without the values in its addresses, those of the remedy as well.
  package func hidingStoredAddresses() -> SyncRun {
    hidingAddresses { error in
      let error = error.hidingAddresses(with: source)
      return OffersError(
        error.code, error.message, advice: error.advice?.mapStep { $0.hidingAddresses() },
        cause: error.cause)
    }
  }

  private func hidingAddresses(_ hide: (OffersError) -> OffersError) -> SyncRun {
    changed {
      $0.source = AddressRedaction.hidden(in: source)
      $0.error = error.map(hide)
    }
  }
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

extension AdvisedStep {
  /// The step without the values in its source, as it is kept.
  package func hidingAddresses() -> AdvisedStep {
    switch self {
    case .remedy(.acceptRemovals(let feed, let source)):
      .remedy(
        .acceptRemovals(feed: feed, source: source.map { AddressRedaction.hidden(in: $0) }))
    case .remedy(.nameSource(let feed, let source)):
      .remedy(.nameSource(feed: feed, source: source.map { AddressRedaction.hidden(in: $0) }))
    case .remedy, .program: self
    }
  }
}
