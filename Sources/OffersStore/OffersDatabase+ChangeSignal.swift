import GRDB
import OffersCore

extension OffersDatabase: ChangeSignal {
  /// The connection that reads never writes, so that it sees the commits of every other one:
  /// https://sqlite.org/pragma.html#pragma_data_version
  public func fetchDataVersion() throws -> Int64 {
    try readStatement { try Int64.fetchOne($0, sql: "PRAGMA data_version") ?? 0 }
  }
}
