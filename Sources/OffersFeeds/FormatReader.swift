import OffersCore

/// Reads documents of one format: UTF-8 in, in pieces of any size; offers out, one at a time.
protocol FormatReader: AnyObject {
  /// Records met so far, broken ones included.
  var itemCount: Int { get }

  /// Takes the next bytes of the document.
  ///
  /// - Throws: `OffersError` with `malformedFeed` or `limitExceeded`; whatever the sink throws.
  func consume(_ bytes: UnsafeRawBufferPointer) throws

  /// Says that the document has ended.
  ///
  /// - Throws: `OffersError` with `malformedFeed` when it ended too early.
  func finish() throws

  /// Why a sound document holds no list of offers where the definition says; nil when it does.
  var shapeProblem: String? { get }
  /// What to look at then; nil where nothing helpful is known.
  var shapeHint: String? { get }
}

extension OfferAssembler {
  /// Hands over what the record at hand is.
  ///
  /// - Parameter nearest: finds the key of the record that is most like one that it lacks.
  @inline(__always)
  func deliver(
    to sink: any OfferSink, position: Int, from source: ReadRecord? = nil,
    nearest: (String) -> String? = { _ in nil }
  ) throws {
    switch assemble(from: source) {
    case .offer(let mended):
      if let mended { sink.mend(position: position, reason: mended) }
      try sink.accept(texts, position: position)
    case .noOffer(let id, let reason):
      let key = isHinting ? missingKey(for: reason).flatMap(nearest) : nil
      let hint = key.map { "; did you mean \($0)?" } ?? ""
      sink.skip(id: id, position: position, reason: reason + hint)
    }
  }
}
