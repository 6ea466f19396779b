import ChildProcesses
import Foundation
import OffersTestSupport
import Testing

@Suite("offers serve behind nginx")
struct NginxTests {
  /// nginx as Debian installs it, with one site on a socket in a folder.
  private final class Nginx: Sendable {
    static let path = "/usr/sbin/nginx"
    static var isPresent: Bool { FileManager.default.isExecutableFile(atPath: path) }

    private let process: ChildProcess

    init(_ home: Home, to port: Int) throws {
      let folder = home.folder.path
      let file = try home.folder.write(
        """
        daemon off;
        worker_processes 1;
        pid \(folder)/nginx.pid;
        error_log stderr;
        events {}
        http {
          access_log off;
          client_body_temp_path \(folder)/body;
          proxy_temp_path \(folder)/proxy;
          fastcgi_temp_path \(folder)/fastcgi;
          uwsgi_temp_path \(folder)/uwsgi;
          scgi_temp_path \(folder)/scgi;
          server {
            listen unix:\(folder)/nginx.socket;
            location / { proxy_pass http://127.0.0.1:\(port); }
          }
        }
        """, to: "nginx.conf")
      process = try ChildProcess([Self.path, "-c", file, "-e", "stderr"], to: nil)
    }

    deinit {
      process.send(SIGTERM)
      process.wait()
    }
  }

  @Test(
    "events pass at once, although it buffers what it passes on", .enabled(if: Nginx.isPresent))
  func events() async throws {
    let home = try await Home(synced: [FeedItem("1", "Tea")])
    let serving = try Serving(home)
    let nginx = try Nginx(home, to: serving.port)
    // Nothing else is sent on this connection for 15 seconds, and it stays open.
    let listened = try home.shell(
      """
      until [ -S nginx.socket ]; do sleep 0.02; done
      curl -sNi --max-time 60 --unix-socket nginx.socket http://127.0.0.1/api/v1/events \
        | sed -n '/event: sync/q; p'
      """)
    #expect(listened.output.hasPrefix("HTTP/1.1 200 OK"))
    #expect(listened.output.contains("\n:\n\nretry: 2000\n\nevent: changed\ndata: "))
    withExtendedLifetime(nginx) {}
  }
}
