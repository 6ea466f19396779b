import Glibc
import GlibcExtensions
import Synchronization

/// Keeps the threads of a short sync on one processor.
///
/// Such a sync is one chain of steps, which the threads of the network, of the database and of the
/// tasks hand to each other. Across processors each step wakes another one up and is far from what
/// the last one left in its caches, and each page of memory that is first written interrupts the
/// other: together a third of what asking for a feed that has not changed costs.
enum OneProcessor {
  /// Documents longer than this are read faster by several. Many short ones count as short, too.
  static let shortBytes = 1 << 20

  /// Where the threads may run when they are not kept; nil when they are not.
  private static let usual = Mutex<cpu_set_t?>(nil)

  /// Keeps all threads, and those that they start, on the processor that this one runs on.
  static func keep() {
    // Where this does not work, the threads go where they like: slower, and no worse.
    var all = cpu_set_t()
    guard sched_getaffinity(0, MemoryLayout<cpu_set_t>.size, &all) == 0,
      let one = set(of: Int(sched_getcpu()))
    else { return }
    usual.withLock { usual in
      usual = all
      _ = place(in: one)
    }
  }

  /// Lets all threads run where they might before. Does nothing when they are not kept, and
  /// nothing yet when they cannot be listed: it is for the caller to ask again.
  static func leave() {
    usual.withLock { usual in
      if let all = usual, place(in: all) { usual = nil }
    }
  }

  /// Says where all threads may run; false when they cannot be listed.
  private static func place(in processors: cpu_set_t) -> Bool {
    var processors = processors
    // They are few, and the type of a set takes longer to make than they take to look through.
    var seen: [pid_t] = []
    // One that was listed may have started another before its turn came.
    while true {
      guard let threads = threads()?.filter({ !seen.contains($0) }) else { return false }
      if threads.isEmpty { return true }
      for thread in threads {
        _ = sched_setaffinity(thread, MemoryLayout<cpu_set_t>.size, &processors)
      }
      seen += threads
    }
  }

  /// Nothing but one processor; nil for one that there is no room for.
  private static func set(of processor: Int) -> cpu_set_t? {
    var set = cpu_set_t()
    let isSet = withUnsafeMutableBytes(of: &set) { bytes in
      let words = bytes.bindMemory(to: UInt.self)
      let (word, bit) = processor.quotientAndRemainder(dividingBy: UInt.bitWidth)
      guard processor >= 0, words.indices.contains(word) else { return false }
      words[word] = 1 << UInt(bit)
      return true
    }
    return isSet ? set : nil
  }

  /// The numbers of this program's threads; nil when they cannot be had.
  private static func threads() -> [pid_t]? {
    guard let folder = opendir("/proc/self/task") else { return nil }
    defer { closedir(folder) }
    var threads: [pid_t] = []
    while let entry = readdir(folder) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if let thread = pid_t(name) { threads.append(thread) }
    }
    return threads
  }
}
