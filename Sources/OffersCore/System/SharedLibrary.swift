/// A shared library that is opened when it is first needed, and stays open.
package enum SharedLibrary {
  /// Opens a library, as the initial value of a static property.
  ///
  /// - Parameters:
  ///   - name: the name of the library.
  ///   - package: the Debian package that has it.
  ///   - open: returns the functions of the library, or nil and the linker's message.
  /// - Returns: the functions, or an error with `storageFailed` that names the package.
  package static func open<Functions>(
    _ name: String, package: String,
    by open: (inout UnsafePointer<CChar>?) -> UnsafePointer<Functions>?
  ) -> Result<Functions, OffersError> {
    var problem: UnsafePointer<CChar>?
    if let functions = open(&problem) { return .success(functions.pointee) }
    return .failure(
      OffersError(
        .storageFailed, "The library \(name) could not be loaded.",
        hint: "Install it: on Debian the package \(package).",
        cause: problem.map { String(cString: $0) }))
  }
}
