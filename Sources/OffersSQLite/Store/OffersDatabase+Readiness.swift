import OffersCore

extension OffersDatabase: StoreReadiness {
  package func checkReadiness() async throws {
    // It fails if another file has taken the place of the open one.
    _ = try await fetchDataVersion()
    let version = try await readStatement { try Schema.version(of: $0) }
    try DatabaseFile.checkVersion(version, path: path)
    guard version == Schema.version else {
      throw OffersError(
        .storageFailed, "\(path) has an older schema, \(version), than this program.",
        hint: "Start the program again: it migrates the database.")
    }
  }
}
