internal import Dispatch
internal import SafelightGLES
internal import SafelightImage

extension Executor {
  /// Compiles a pipeline while other work goes on where the driver can; `completion` is called once, on the executor's thread
  /// or, where the device takes no more work, on another.
  nonisolated func prepare(
    _ pipeline: Pipeline, completion: @escaping @Sendable (Result<Void, SafelightError>) -> Void
  ) {
    post(completion) { $0.begin(pipeline, completion) }
  }

  private nonisolated func post(
    _ completion: @escaping @Sendable (Result<Void, SafelightError>) -> Void,
    _ body: @escaping @Sendable (isolated Executor) -> Void
  ) {
    let accepted = thread.post { self.assumeIsolated { body($0) } }
    if !accepted { completion(.failure(thread.isForked ? Self.forked : Self.closed)) }
  }

  private func begin(_ pipeline: Pipeline, _ completion: @escaping @Sendable (Result<Void, SafelightError>) -> Void) {
    do throws(SafelightError) {
      guard let preparation = try commands?.beginCompiling(pipeline) else { return completion(.success(())) }
      preparations[ObjectIdentifier(preparation)] = preparation
      advance(ObjectIdentifier(preparation), pipeline, completion)
    } catch {
      completion(.failure(error))
    }
  }

  /// Asks the driver, and again a little later while it is busy: work that came in between goes first.
  private func advance(
    _ id: ObjectIdentifier, _ pipeline: Pipeline,
    _ completion: @escaping @Sendable (Result<Void, SafelightError>) -> Void
  ) {
    do throws(SafelightError) {
      guard let preparation = preparations[id] else {
        // A lost context has taken it along.
        return commands == nil ? completion(.failure(Self.closed)) : begin(pipeline, completion)
      }
      guard try preparation.advance() else {
        DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(1)) {
          self.post(completion) { $0.advance(id, pipeline, completion) }
        }
        return
      }
      preparations[id] = nil
      completion(.success(()))
    } catch {
      preparations[id] = nil
      completion(.failure(error))
    }
  }
}
