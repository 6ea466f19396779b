import Foundation
import OffersCore
import OffersFeeds
import Testing

/// The folder of the collection, which is not part of the package.
private enum JSONTestSuiteFolder {
  private static let folder = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()
    .appendingPathComponent("shared/feeds/bad/JSONTestSuite/test_parsing")

  static var isThere: Bool { FileManager.default.fileExists(atPath: folder.path) }

  static func files(_ prefix: String) throws -> [(name: String, bytes: [UInt8])] {
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
    return try names.filter { $0.hasPrefix(prefix) && $0.hasSuffix(".json") }.sorted().map {
      ($0, [UInt8](try Data(contentsOf: folder.appendingPathComponent($0))))
    }
  }
}

/// Nicolas Seriot's collection (github.com/nst/JSONTestSuite), if it is beside the package:
/// `y_` files are valid, `n_` files are invalid, `i_` files are implementation-defined.
@Suite("The JSONTestSuite collection", .enabled(if: JSONTestSuiteFolder.isThere))
struct JSONTestSuiteTests {
  /// Reads a file whole and byte by byte, which must give the same result.
  private static func read(_ name: String, _ bytes: [UInt8]) throws -> OffersError? {
    let whole = try FeedReading(bytes)
    #expect(try FeedReading(bytes, pieceSizes: [1]) == whole, "\(name) byte by byte")
    return whole.error
  }

  @Test("every document that must be accepted is accepted")
  func acceptsSoundFiles() throws {
    let files = try JSONTestSuiteFolder.files("y_")
    #expect(files.count > 90)
    for (name, bytes) in files {
      let code = try Self.read(name, bytes)?.code
      #expect(code == nil || code == .unexpectedShape, "\(name)")
    }
  }

  @Test("every document that must be refused is refused")
  func refusesBrokenFiles() throws {
    let files = try JSONTestSuiteFolder.files("n_")
    #expect(files.count > 180)
    for (name, bytes) in files {
      let code = try Self.read(name, bytes)?.code
      #expect(code == .malformedFeed || code == .limitExceeded, "\(name)")
    }
  }

  @Test("documents with implementation-defined results give records or an error")
  func survivesTheRest() throws {
    let files = try JSONTestSuiteFolder.files("i_")
    #expect(files.count > 30)
    for (name, bytes) in files { _ = try Self.read(name, bytes) }
  }
}
