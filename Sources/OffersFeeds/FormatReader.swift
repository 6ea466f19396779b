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
}

extension OfferAssembler {
  /// Hands over what the record at hand is.
  @inline(__always)
  func deliver(to sink: any OfferSink, position: Int) throws {
    switch assemble() {
    case .offer(let mended):
      if let mended { sink.mend(position: position, reason: mended) }
      try sink.accept(texts, position: position)
    case .noOffer(let id, let reason):
      sink.skip(id: id, position: position, reason: reason)
    }
  }
}
