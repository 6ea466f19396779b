import OffersServer
import OffersSync

/// The server and the sync do not know each other. The program lets the server ask sites by the
/// requests of the sync.
extension FramingCheck: FramingSource {}
