import OffersCore

/// The best way to read the values of a sample, for paths that the user chooses.
package struct ReadingGuess: Sendable {
  /// The types of the values at a path, without those that are plain text.
  private var readings: [FieldPath: Reading] = [:]
  /// How a reward reads the numbers at a path: their currency and their minor units.
  private var rewards: [FieldPath: FieldRule.Alternative] = [:]

  /// Creates an empty judgement.
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

  /// Returns how a field reads the values at a path.
  func alternative(at path: FieldPath, for field: OfferField) -> FieldRule.Alternative {
    if field == .reward, let reward = rewards[path] { return reward }
    var alternative = FieldRule.Alternative(.path(path), reading: field.defaultReading)
    // Fields that are dates or links are read as such, whatever the sample has.
    if field.defaultReading == .text, let reading = readings[path],
      field.readings.contains(reading)
    {
      alternative.reading = reading
    }
    return alternative
  }
}
