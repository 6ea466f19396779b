import Foundation
import OffersFuzzing

/// The options of the command line.
struct Settings {
  var inputs = 1_000_000
  var seed: UInt64 = 1
  var formats = FuzzFormat.allCases
  var replay: Int?
  var log = "/dev/null"

  init(_ words: ArraySlice<String>) {
    var words = words
    var named: [FuzzFormat] = []
    while let word = words.popFirst(), let value = words.popFirst() {
      switch word {
      case "--inputs": inputs = Int(value) ?? inputs
      case "--seed": seed = UInt64(value) ?? seed
      case "--format": named += FuzzFormat(rawValue: value).map { [$0] } ?? []
      case "--replay": replay = Int(value)
      case "--log": log = value
      default: break
      }
    }
    if !named.isEmpty { formats = named }
  }
}

/// The peak resident memory of this process, in MiB.
func peakMegabytes() -> Int {
  var usage = rusage()
  getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
  return usage.ru_maxrss / 1024
}

func pad(_ text: String, _ columns: Int) -> String {
  String(repeating: " ", count: max(0, columns - text.count)) + text
}

let settings = Settings(CommandLine.arguments.dropFirst())
// The file that names the current input by its format, seed and number, in case the process crashes
// on it.
let log = open(settings.log, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
do {
  for format in settings.formats {
    let run = try FuzzRun(format, seed: settings.seed)
    if let number = settings.replay {
      FileHandle.standardOutput.write(Data(run.input(number)))
      continue
    }
    let count = settings.inputs / settings.formats.count
    let result = try run.run(0..<count) { number in
      let line = "\(format.rawValue) --seed \(settings.seed) --replay \(number)            \n"
      _ = line.utf8.withContiguousStorageIfAvailable { pwrite(log, $0.baseAddress, $0.count, 0) }
    }
    let slowest = String(format: "%.1f", result.slowestMilliseconds)
    print(
      "\(format.rawValue.padding(toLength: 12, withPad: " ", startingAt: 0))"
        + "\(pad("\(result.inputs)", 9)) inputs \(pad("\(result.accepted)", 9)) accepted  "
        + "slowest \(pad(slowest, 7)) ms  peak \(pad("\(peakMegabytes())", 4)) MB")
  }
} catch {
  print("failed: \(error)")
  exit(1)
}
