import ArgumentParser
import OffersCore

/// The options that name the database of a command, and the user whose record in it the command
/// reads and writes.
struct UserRecordOptions: ParsableArguments {
  @OptionGroup var location: DatabaseOptions

  @Option(
    name: .long,
    help: ArgumentHelp(
      "The user whose favorites, searches and read marks are meant (default: $OFFERS_USER, else "
        + "the owner).", valueName: "name"))
  var user: String?

  /// The place of the database; see `DatabaseOptions.place`.
  var place: any StorePlace {
    get throws { try location.place }
  }

  /// The user whose record is meant.
  ///
  /// - Throws: `OffersError` with `invalidRequest` for an empty name.
  var choice: UserChoice {
    get throws { try UserChoice(option: user) }
  }

  /// Opens the database with the record of the user.
  ///
  /// - Throws: `OffersError` with `notFound` for an unknown user, otherwise as
  ///   `DatabaseOptions.open`.
  func open(_ access: StoreAccess) async throws -> any OffersStorage {
    try await open(place, access)
  }

  /// As `open(_:)`, for a command that needs the place as well.
  func open(_ place: any StorePlace, _ access: StoreAccess) async throws -> any OffersStorage {
    let choice = try choice
    if access == .readWrite { try choice.check(place) }
    return try await choice.record(in: try await DatabaseOptions.open(place, access))
  }

  /// Opens the database with the record of the user for writing. A missing database has none of the
  /// offers that a command names, and creating one would hide a wrong path.
  ///
  /// - Throws: `OffersError` with `notFound` if there is none, otherwise as `open(_:)`.
  func openExisting() async throws -> any OffersStorage {
    let choice = try choice
    return try await choice.record(in: try await location.openExisting())
  }
}
