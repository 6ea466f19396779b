/// The step that an advice stands for.
package enum AdvisedStep: Hashable, Sendable {
  /// A step that an app takes by a public call.
  case remedy(Remedy)
  /// A step that only the command-line program has a command for. An app shows the text.
  case program(ProgramStep)

  /// The words for the step in the text of an advice. A user interface with commands puts its own
  /// words in their place.
  package var words: String {
    switch self {
    case .remedy(let remedy): remedy.words
    case .program(let step): step.words
    }
  }
}

/// A step is coded as its remedy or program step alone: `{"force":{"feed":"shop"}}`.
extension AdvisedStep: Codable {
  package init(from decoder: any Decoder) throws {
    // If the value is neither, the error of decoding a program step is thrown.
    if let remedy = try? Remedy(from: decoder) {
      self = .remedy(remedy)
    } else {
      self = .program(try ProgramStep(from: decoder))
    }
  }

  package func encode(to encoder: any Encoder) throws {
    switch self {
    case .remedy(let remedy): try remedy.encode(to: encoder)
    case .program(let step): try step.encode(to: encoder)
    }
  }
}
