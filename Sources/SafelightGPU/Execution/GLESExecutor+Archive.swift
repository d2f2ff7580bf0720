internal import Logging
internal import SafelightGLES
internal import SafelightImage

extension GLESExecutor {
  /// Whether programs go to an archive: there is one, and the driver gives them out.
  var keepsPrograms: Bool { archive != nil && capabilities.programBinaryFormats > 0 }

  /// The program from the archive; nil where it is not there, or the driver takes it no more.
  func restored(_ request: ProgramRequest) -> ProgramObject? {
    guard let archive else { return nil }
    guard keepsPrograms else {
      archive.noteUnsupported()
      return nil
    }
    let key = archiveKey(request)
    guard let binary = archive.binary(for: key) else { return nil }
    guard let program = ProgramObject(context, restoring: binary, label: request.label) else {
      archive.refuse(key)
      return nil
    }
    do throws(SafelightError) {
      try request.reflection.check(against: program.resources, of: request.label)
    } catch {
      // Another program under this one's name: compiled anew, the text itself shows whether anything is wrong with it.
      archive.refuse(key)
      return nil
    }
    archive.noteRestored(key)
    return program
  }

  /// Keeps the program for the next time. What cannot be kept is compiled again then: that is no error of the work at hand.
  func archive(_ program: ProgramObject, _ request: ProgramRequest) {
    guard let archive, keepsPrograms, let binary = program.binary() else { return }
    if let failure = archive.keep(binary, for: archiveKey(request)) {
      logger.warning("\(failure)")
    }
  }

  private func archiveKey(_ request: ProgramRequest) -> BinaryArchive.Key {
    BinaryArchive.Key([info.vendor, info.name, info.driver] + request.texts)
  }
}
