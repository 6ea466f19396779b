import OffersCore

/// How the values of a sample's items are best read, for paths that a person chooses.
package struct SampleJudgement: Sendable {
  /// For a path whose values are no plain text how they are read.
  private var readings: [FieldPath: Reading] = [:]
  /// For a path to numbers what is known of their currency and unit.
  private var rewards: [FieldPath: FieldRule.Alternative] = [:]

  /// Knows nothing of any path.
  init() {}

  init(_ survey: MemberSurvey, _ fields: FieldGuess) {
    for member in survey.members where !member.values.isEmpty {
      let reading = member.reading
      if reading != .text { readings[member.path] = reading }
      if member.part(\.isNumber) > 0.1 {
        rewards[member.path] = fields.alternative(for: member, as: .reward)
      }
    }
  }

  /// How a field takes what stands at a path.
  func alternative(at path: FieldPath, for field: OfferField) -> FieldRule.Alternative {
    if field == .reward, let reward = rewards[path] { return reward }
    var alternative = FieldRule.Alternative(.path(path), reading: field.defaultReading)
    // What is a date or a link by its field is one whatever the sample shows.
    if field.defaultReading == .text, let reading = readings[path],
      field.readings.contains(reading)
    {
      alternative.reading = reading
    }
    return alternative
  }
}
