/// The sizes of answers.
enum AnswerSize {
  /// The maximum size of the texts in an answer, in bytes. A page ends before the offer that would
  /// exceed it, but has at least one offer.
  static let pageBytes = 4 << 20
}
