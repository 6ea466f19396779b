// swift-tools-version: 6.2
import PackageDescription

/// The settings of every Swift target of this package.
let strict: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .treatAllWarnings(as: .error),
]

/// The condition of dependencies that an app without this trait neither resolves nor compiles.
let program = TargetDependencyCondition.when(traits: ["Program"])

/// Whether this is the checkout of a dependency, in a folder that SwiftPM or Xcode made. An app needs the
/// library only; in a clone, `swift build` builds the program.
let isDependency = Context.packageDirectory.split(separator: "/").dropLast().last == "checkouts"

let package = Package(
  name: "offers",
  // The oldest systems with Swift's Synchronization module. Only Linux was tried.
  platforms: [.macOS(.v15), .iOS(.v18), .visionOS(.v2)],
  products: [
    .executable(name: "offers", targets: ["OffersCLI"]),
    .library(name: "Offers", targets: ["Offers"]),
  ],
  traits: [
    .trait(name: "Program", description: "The command line and the server."),
    .default(enabledTraits: isDependency ? [] : ["Program"]),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.0"),
    .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0", traits: []),
    .package(url: "https://github.com/apple/swift-log", from: "1.6.0"),
    .package(url: "https://github.com/apple/swift-nio", from: "2.100.0"),
    .package(url: "https://github.com/apple/swift-nio-extras", from: "1.34.0"),
    .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.30.0"),
    .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
    .package(
      url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.0", traits: []),
    .package(url: "https://github.com/hummingbird-project/swift-mustache", from: "2.1.0"),
    .package(url: "https://github.com/jpsim/Yams", from: "6.2.2"),
    .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.8.0"),
  ],
  targets: [
    .target(
      name: "SQLiteMigrations",
      path: "Migrations/SQLite",
      resources: [.embedInCode("SQL")],
      swiftSettings: strict),
    // The C target has what Swift's modules of the system's headers leave out.
    .target(name: "SystemShim", path: "Sources/OffersPlatform/Shim"),
    .target(
      name: "OffersPlatform", dependencies: ["SystemShim"], exclude: ["Shim"],
      swiftSettings: strict,
      linkerSettings: [.linkedLibrary("iconv", .when(platforms: [.macOS, .iOS, .visionOS]))]),
    .target(
      name: "OffersCore", dependencies: ["OffersPlatform"],
      swiftSettings: strict),
    .target(
      name: "OffersFeeds",
      dependencies: [
        "ByteVector", "CompressionShim", "EmbeddedFeeds", "Expat", "OffersCore", "OffersPlatform",
        "ZLib",
        .product(name: "Yams", package: "Yams"),
      ],
      exclude: ["Embedded", "Pictures", "Samples", "Shim", "Shipped"],
      swiftSettings: strict),
    // It opens the libraries for bzip2 and xz when a document needs them.
    .target(
      name: "CompressionShim", dependencies: ["SystemShim"], path: "Sources/OffersFeeds/Shim"),
    .systemLibrary(name: "ByteVector"),
    // These C targets embed files by `#embed`: the array literals that `embedInCode` generates for
    // files of their size would take a minute to compile.
    .target(name: "EmbeddedFeeds", path: "Sources/OffersFeeds/Embedded"),
    .target(name: "EmbeddedPages", path: "Sources/OffersServer/Embedded"),
    .systemLibrary(name: "Expat", providers: [.apt(["libexpat1-dev"])]),
    .systemLibrary(name: "ZLib", providers: [.apt(["zlib1g-dev"])]),
    // The SQL statements that both engines, SQLite and PostgreSQL, run.
    .target(name: "OffersStore", dependencies: ["OffersCore"], swiftSettings: strict),
    .target(name: "SQLiteShim", linkerSettings: [.linkedLibrary("sqlite3")]),
    .target(
      name: "OffersSQLite",
      dependencies: [
        "OffersCore",
        "OffersPlatform",
        "OffersStore",
        "SQLiteMigrations",
        "SQLiteShim",
        .product(name: "GRDB", package: "GRDB.swift"),
        .product(name: "GRDBSQLite", package: "GRDB.swift"),
      ],
      swiftSettings: strict),
    .target(
      name: "PostgreSQLMigrations",
      path: "Migrations/PostgreSQL",
      resources: [.embedInCode("SQL")],
      swiftSettings: strict),
    // It opens libpq at run time, so that only those who use PostgreSQL need the library.
    .target(
      name: "PostgresShim", dependencies: ["SystemShim"], path: "Sources/OffersPostgres/Shim"),
    .target(
      name: "OffersPostgres",
      dependencies: [
        "OffersCore", "OffersPlatform", "OffersStore", "PostgreSQLMigrations", "PostgresShim",
      ],
      exclude: ["Shim"], swiftSettings: strict),
    .target(
      name: "OffersSync",
      dependencies: [
        "OffersCore",
        "OffersFeeds",
        "OffersPlatform",
        "OffersStore",
        .product(name: "Logging", package: "swift-log"),
      ],
      swiftSettings: strict),
    // The C target has functions with fixed arguments, which Swift can call. It opens libcurl, and the 28
    // libraries that this one needs, at the first request.
    .target(name: "CurlShim", dependencies: ["SystemShim"], path: "Sources/OffersHTTP/Shim"),
    .target(
      name: "OffersHTTP",
      dependencies: [
        "CurlShim",
        "OffersCore",
        "OffersFeeds",
        "OffersPlatform",
        "OffersStore",
        "OffersSync",
        .product(name: "Logging", package: "swift-log"),
      ],
      exclude: ["Shim"],
      swiftSettings: strict),
    .target(
      name: "Offers",
      dependencies: [
        "OffersCore", "OffersFeeds", "OffersHTTP", "OffersSQLite", "OffersSync",
        .product(name: "Logging", package: "swift-log"),
      ],
      swiftSettings: strict),
    // It opens libcrypto and libqrencode when they are first needed.
    .target(name: "ServerShim", dependencies: ["SystemShim"], path: "Sources/OffersServer/Shim"),
    .target(
      name: "OffersServer",
      dependencies: [
        "EmbeddedPages",
        "OffersCore",
        "OffersPlatform",
        "OffersStore",
        "ServerShim",
        "ZLib",
        .product(name: "HTTPTypes", package: "swift-http-types", condition: program),
        .product(name: "Hummingbird", package: "hummingbird", condition: program),
        .product(name: "HummingbirdCore", package: "hummingbird", condition: program),
        .product(name: "Logging", package: "swift-log"),
        .product(name: "Mustache", package: "swift-mustache", condition: program),
        .product(name: "NIOCore", package: "swift-nio", condition: program),
        .product(name: "NIOHTTP1", package: "swift-nio", condition: program),
        .product(name: "NIOHTTPTypes", package: "swift-nio-extras", condition: program),
        .product(name: "NIOHTTPTypesHTTP1", package: "swift-nio-extras", condition: program),
        .product(name: "NIOPosix", package: "swift-nio", condition: program),
        .product(name: "NIOSSL", package: "swift-nio-ssl", condition: program),
        .product(name: "ServiceLifecycle", package: "swift-service-lifecycle", condition: program),
      ],
      exclude: ["API/openapi.json", "Assets", "Embedded", "Shim", "Templates", "Worker"],
      swiftSettings: strict),
    .target(name: "SpawnShim", path: "Sources/OffersCLI/Processes/Shim"),
    // It opens gdk-pixbuf at run time, so that only those who want smaller pictures need the library.
    .target(
      name: "PixbufShim", dependencies: ["SystemShim"], path: "Sources/OffersCLI/Pictures/Shim"),
    // The tests start child processes, too, and cannot depend on a program.
    .target(
      name: "ChildProcesses", dependencies: ["OffersCore", "SpawnShim"],
      path: "Sources/OffersCLI/Processes", exclude: ["Shim"], swiftSettings: strict),
    .executableTarget(
      name: "OffersCLI",
      dependencies: [
        "ChildProcesses",
        "OffersCore",
        "OffersFeeds",
        "OffersHTTP",
        "OffersPlatform",
        "OffersPostgres",
        "OffersServer",
        "OffersSQLite",
        "OffersStore",
        "OffersSync",
        "PixbufShim",
        .product(name: "ArgumentParser", package: "swift-argument-parser", condition: program),
        .product(name: "Logging", package: "swift-log"),
      ],
      exclude: ["Pictures/Shim", "Processes"],
      resources: [
        .embedInCode("Commands/Schedule/offers-sync.service"),
        .embedInCode("Commands/Schedule/offers-sync.timer"),
      ],
      swiftSettings: strict),
    .target(
      name: "OffersTestSupport",
      dependencies: [
        "OffersCore",
        "OffersStore",
        .product(name: "NIOCore", package: "swift-nio", condition: program),
        .product(name: "NIOPosix", package: "swift-nio", condition: program),
        .product(name: "NIOSSL", package: "swift-nio-ssl", condition: program),
      ], path: "Tests/OffersTestSupport", swiftSettings: strict),
    // The stores on which the suites of the command line and of the server run, and copies of prepared
    // ones.
    .target(
      name: "TestStores",
      dependencies: [
        "OffersCore", "OffersPostgres", "OffersSQLite", "OffersStore", "OffersTestSupport",
      ],
      path: "Tests/TestStores", swiftSettings: strict),
    // The suite of tests that every store passes.
    .testTarget(
      name: "StoreRules",
      dependencies: [
        "OffersCore", "OffersFeeds", "OffersPostgres", "OffersSQLite", "OffersStore",
        "OffersTestSupport",
        "TestStores",
      ], swiftSettings: strict),
    .testTarget(
      name: "OffersPlatformTests",
      dependencies: ["ChildProcesses", "OffersPlatform", "OffersTestSupport"],
      swiftSettings: strict),
    .testTarget(
      name: "OffersCoreTests", dependencies: ["OffersCore", "OffersTestSupport"],
      swiftSettings: strict),
    .testTarget(
      name: "OffersFeedsTests",
      dependencies: [
        "OffersCore", "OffersFeeds", "OffersTestSupport", "ZLib",
      ], swiftSettings: strict),
    .testTarget(
      name: "OffersSQLiteTests",
      dependencies: [
        "OffersCore", "OffersPlatform", "OffersSQLite", "OffersStore", "OffersTestSupport",
        "SQLiteMigrations", "TestStores",
        .product(name: "GRDB", package: "GRDB.swift"),
        .product(name: "GRDBSQLite", package: "GRDB.swift"),
      ], swiftSettings: strict),
    .testTarget(
      name: "OffersPostgresTests",
      dependencies: [
        "OffersCore", "OffersPostgres", "OffersStore", "OffersTestSupport",
        "PostgreSQLMigrations", "TestStores",
      ], swiftSettings: strict),
    .testTarget(
      name: "OffersSyncTests",
      dependencies: [
        "OffersCore", "OffersFeeds", "OffersHTTP", "OffersPlatform", "OffersSQLite", "OffersStore",
        "OffersSync",
        "OffersTestSupport", "TestStores", .product(name: "Logging", package: "swift-log"),
      ], swiftSettings: strict),
    .testTarget(
      name: "OffersHTTPTests",
      dependencies: [
        "CurlShim", "OffersCore", "OffersHTTP", "OffersPlatform", "OffersSync", "OffersTestSupport",
      ], swiftSettings: strict),
    .testTarget(
      name: "OffersTests", dependencies: ["Offers", "OffersTestSupport"], swiftSettings: strict),
    .testTarget(
      name: "OffersCLITests",
      dependencies: [
        "ChildProcesses", "Offers", "OffersCLI", "OffersCore", "OffersFeeds", "OffersPlatform",
        "OffersSQLite", "OffersStore", "OffersSync", "OffersTestSupport", "TestStores", "ZLib",
        .product(name: "GRDB", package: "GRDB.swift"),
      ], swiftSettings: strict),
    .testTarget(
      name: "OffersServerTests",
      dependencies: [
        "OffersCore", "OffersFeeds", "OffersHTTP", "OffersServer", "OffersSQLite", "OffersStore",
        "OffersSync",
        "OffersTestSupport", "TestStores",
        .product(name: "HTTPTypes", package: "swift-http-types", condition: program),
        .product(name: "Hummingbird", package: "hummingbird", condition: program),
        .product(name: "NIOCore", package: "swift-nio", condition: program),
        .product(name: "NIOEmbedded", package: "swift-nio", condition: program),
        .product(name: "NIOHTTPTypes", package: "swift-nio-extras", condition: program),
        .product(name: "Logging", package: "swift-log"),
      ], swiftSettings: strict),
  ]
)

// Only Scripts/document, which sets this variable, needs the plugin for DocC.
if Context.environment["OFFERS_DOCUMENTATION"] != nil {
  package.dependencies.append(
    .package(url: "https://github.com/swiftlang/swift-docc-plugin", from: "1.4.0"))
}
