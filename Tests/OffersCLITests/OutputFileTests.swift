import Foundation
import OffersTestSupport
import Testing

/// Devices are made in the test's own folder. None of the machine is ever named here.
@Suite("Where commands write files")
struct OutputFileTests {
  /// What must not be replaced, by the name of the file.
  private static let kinds = [
    "pipe", "folder", "socket", "device", "link-to-pipe", "link-to-device",
  ]

  /// - Returns: whether it could be made: a device needs root, and a system that lets it.
  private static func make(_ kind: String, in home: Home) throws -> Bool {
    let path = home.folder.file(kind)
    switch kind {
    case "pipe": return mkfifo(path, 0o600) == 0
    case "folder": return mkdir(path, 0o700) == 0
    // The numbers of the null device.
    case "device": return mknod(path, S_IFCHR | 0o600, 1 << 8 | 3) == 0
    case "socket": return mknod(path, S_IFSOCK | 0o600, 0) == 0
    default:
      let target = String(kind.dropFirst("link-to-".count))
      return try make(target, in: home) && symlink(target, path) == 0
    }
  }

  private static func kind(_ path: String) -> mode_t {
    var information = stat()
    return lstat(path, &information) == 0 ? information.st_mode & S_IFMT : 0
  }

  @Test(
    "neither image, export, backup nor the feeds' file takes the place of what is no file",
    arguments: kinds)
  func refuses(kind: String) throws {
    let server = try ImageServer()
    let home = try Home(synced: [FeedItem("1", "Tea", image: server.url("1"))])
    guard try Self.make(kind, in: home) else { return }
    let path = home.folder.file(kind)
    let before = Self.kind(path)
    for words in [
      ["image", "1", "--allow-private-network", "-o", path],
      ["export", "-o", path], ["backup", path], ["backup", "--force", path],
      ["feeds", "set", "ibotta", "--every", "2h", "--config", path],
    ] {
      let result = try OffersProgram.run(words, environment: home.environment)
      #expect(result.status != 0, "\(words)")
      #expect(result.errors != "", "\(words)")
      #expect(Self.kind(path) == before, "\(words)")
    }
    let left = try FileManager.default.contentsOfDirectory(atPath: home.folder.path)
    #expect(!left.contains { $0.contains(".new-") })
  }

  @Test("an image takes no database's place, keeps a file's mode, and a new one has the usual mode")
  func images() throws {
    let server = try ImageServer()
    let home = try Home(synced: [FeedItem("1", "Tea", image: server.url("1"))])
    let image = "offers image 1 --allow-private-network -o"
    #expect(try home.shell("\(image) offers.sqlite").status == 64)
    #expect(try home.offers("list").output.contains("Tea"))
    let modes = try home.shell(
      """
      umask 027; \(image) new.png && touch old.png && chmod 604 old.png && \(image) old.png &&
      ln -s target.png link.png && \(image) link.png && stat -c '%a %F' new.png old.png link.png
      """)
    #expect(modes.output == "640 regular file\n604 regular file\n777 symbolic link\n")
    #expect(try home.shell("cmp new.png target.png").status == 0)
  }
}
