internal import SafelightGLES
internal import SafelightImage

/// What a device says of memory that it shares with others.
extension Executor {
  /// Makes the storage of a texture over shared memory, after all earlier work; returns why it is a copy.
  nonisolated func adopt(_ texture: Texture) throws(SafelightError) -> SafelightError? {
    let outcome = thread.sync {
      self.assumeIsolated { executor -> Result<SafelightError?, SafelightError> in
        do throws(SafelightError) {
          let reason = try executor.commands?.copyReason(of: texture)
          texture.copyReason = reason ?? nil
          return .success(reason ?? nil)
        } catch {
          return .failure(error)
        }
      }
    }
    guard let outcome else { throw refusal }
    return try outcome.get()
  }

  /// Shares the memory of a texture, after all earlier work.
  nonisolated func export(_ texture: Texture) throws(SafelightError) -> DMABuffer {
    let outcome = thread.sync {
      self.assumeIsolated { executor -> Result<DMABuffer, SafelightError> in
        guard let commands = executor.commands else { return .failure(Self.closed) }
        return Result { () throws(SafelightError) in try commands.exportChecked(texture) }
      }
    }
    guard let outcome else { throw refusal }
    return try outcome.get()
  }
}
