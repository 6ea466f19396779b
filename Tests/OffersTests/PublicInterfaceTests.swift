import Foundation
import OffersStore
import OffersTestSupport
import Testing

/// Reads the symbol graphs that the compiler extracts from the built modules of the product.
@Suite("The public interface")
struct PublicInterfaceTests {
  private struct Graph: Decodable {
    struct Symbol: Decodable {
      struct Fragment: Decodable { let spelling: String }
      struct Position: Decodable { let uri: String }
      struct Comment: Decodable {}

      let pathComponents: [String]
      let declarationFragments: [Fragment]?
      let docComment: Comment?
      let location: Position?

      var name: String { pathComponents.joined(separator: ".") }
      var declaration: String { (declarationFragments ?? []).map(\.spelling).joined() }
    }

    let symbols: [Symbol]
  }

  private static let modules = [
    "SQLiteMigrations", "OffersCore", "OffersFeeds", "OffersStore", "OffersSQLite", "OffersSync",
    "OffersHTTP", "Offers",
  ]

  /// The public symbols that are declared in the sources of the product's modules.
  private static func symbols() throws -> [Graph.Symbol] {
    let folder = try TemporaryFolder()
    let products = try #require(
      URL(string: "file:///proc/self/exe")?.resolvingSymlinksInPath().deletingLastPathComponent())
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    let maps =
      try moduleMaps(in: [products, root.appending(path: "Sources")], at: [""])
      + moduleMaps(in: checkouts(of: root), at: ["", "include/"])
    let target = try target()
    for module in modules {
      let extraction = Process()
      extraction.executableURL = URL(filePath: "/usr/bin/env")
      extraction.arguments =
        [
          "swift", "symbolgraph-extract", "-module-name", module,
          "-I", products.appending(path: "Modules").path,
          "-minimum-access-level", "public", "-skip-synthesized-members",
          "-target", target, "-output-dir", folder.path,
          // The headers of the other C targets include one of this target.
          "-Xcc", "-I", "-Xcc", root.appending(path: "Sources/OffersPlatform/Shim/include").path,
        ] + maps.flatMap { ["-Xcc", "-fmodule-map-file=\($0.path)"] }
      try extraction.run()
      extraction.waitUntilExit()
      try #require(extraction.terminationStatus == 0, "the module \(module)")
    }
    let graphs = try FileManager.default.contentsOfDirectory(atPath: folder.path)
    return try graphs.flatMap { name in
      let data = try Data(contentsOf: URL(filePath: folder.file(name)))
      return try JSONDecoder().decode(Graph.self, from: data).symbols
    }.filter { $0.location != nil }
  }

  /// The triple that the compiler builds for by default, such as `x86_64-unknown-linux-gnu`.
  private static func target() throws -> String {
    struct Information: Decodable {
      struct Target: Decodable { let triple: String }
      let target: Target
    }
    let answer = Process()
    let output = Pipe()
    answer.executableURL = URL(filePath: "/usr/bin/env")
    answer.arguments = ["swift", "-print-target-info"]
    answer.standardOutput = output
    try answer.run()
    let data = try output.fileHandleForReading.readToEnd()
    answer.waitUntilExit()
    return try JSONDecoder().decode(Information.self, from: #require(data)).target.triple
  }

  /// The module maps of C modules in the subfolders of some folders.
  private static func moduleMaps(in folders: [URL], at places: [String]) throws -> [URL] {
    try folders.flatMap { folder in
      try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
    }.flatMap { child in places.map { child.appending(path: "\($0)module.modulemap") } }
      .filter { FileManager.default.fileExists(atPath: $0.path) }
  }

  /// The source folders of the packages that this one depends on, for their C modules.
  private static func checkouts(of root: URL) throws -> [URL] {
    let folder = root.appending(path: ".build/checkouts")
    return try FileManager.default.contentsOfDirectory(atPath: folder.path).map {
      folder.appending(path: $0).appending(path: "Sources")
    }.filter { FileManager.default.fileExists(atPath: $0.path) }
  }

  @Test("each public symbol has a doc comment")
  func isDocumented() throws {
    let symbols = try Self.symbols()
    #expect(symbols.count > 300)
    #expect(symbols.filter { $0.docComment == nil }.map(\.name).sorted() == [])
  }

  @Test("no internals of the engine and no unsafe pointers are public")
  func hidesInternals() throws {
    let symbols = try Self.symbols()
    #expect(symbols.filter { $0.declaration.contains("Unsafe") }.map(\.name) == [])
    let types = Set(symbols.compactMap(\.pathComponents.first))
    #expect(types.contains("OffersDatabase"))
    for type in [
      "KnownOffers", "OfferRecord", "SyncPlan", "SyncStore", "SyncState", "FetchState",
      "ContentHash",
      "SQLiteMigrations", "Migration", "ImageFetchStore",
    ] { #expect(!types.contains(type), "\(type)") }
  }
}
