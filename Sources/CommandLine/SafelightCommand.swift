import ArgumentParser
import CMalloc
import Dispatch
import Glibc
public import Safelight

/// The tool as a library, for programs that add kernels of their own, which get the same help, conformance proofs and
/// benchmarks as the kernels of this package.
public enum SafelightTool {
  /// Runs the command that the process arguments name, with `kernels` as additional filters, and exits.
  ///
  /// Call it from a `main` that is not `async`, which would need threads before this can see whether there are enough.
  public static func main(adding kernels: [any ImageKernel.Type] = []) -> Never {
    if let name = FilterCatalogue.repeatedName(adding: kernels) {
      SafelightCommand.end(
        SafelightError(
          .kernel, "filter '\(name)'", why: "there are two of that name",
          remedy: "give the one that was added another name, on its card"))
    }
    for kernel in kernels { FilterCatalogue.add(kernel) }
    SafelightCommand.main()
  }
}

/// The root command, with a subcommand for each task.
struct SafelightCommand: ParsableCommand {
  static let version = "0.1.0"

  static let configuration = CommandConfiguration(
    commandName: "safelight",
    abstract: "Image processing on the GPU for machines with no screen.",
    discussion: """
      Reads frames, applies filters and writes frames, on a GPU if the machine has one, else on the CPU, \
      with the same bytes:

        safelight equalize frames/ -o out/
        safelight process 'shot.%04d.png' -o out/ --filter 'equalize,saturation=1.2'

      Exit codes: 0 done · 1 differs · 3 missing or extra · 4 not comparable · 64 usage · 65 bad input data · \
      66 no such input · 69 no device as asked · 70 internal · 71 too little memory, threads or open files · \
      73 cannot create output · 74 read or write failed · 75 interrupted, run again.

      Environment: SAFELIGHT_DEVICE and SAFELIGHT_PLATFORM (defaults of --device and --platform), SAFELIGHT_DEBUG=1 \
      (check every GL call and show the driver's messages), SAFELIGHT_SHADERS=FOLDER (read the shaders from there), \
      SAFELIGHT_CACHE=FOLDER (keep compiled programs there), SAFELIGHT_STACKS=FOLDER (keep \
      the drivers of matrix there), SAFELIGHT_CAPTURE=FOLDER (write every command buffer there; see \
      safelight replay) with SAFELIGHT_CAPTURE_LABELS=PATTERN and SAFELIGHT_CAPTURE_FIRST=N (only those).
      """,
    version: version,
    subcommands: [
      ProcessCommand.self, EqualizeCommand.self, HistogramCommand.self, AnalyzeCommand.self, MergeCommand.self,
      SubmitCommand.self, CompareCommand.self, GoldenCommand.self,
      DevicesCommand.self, FiltersCommand.self, NewKernelCommand.self, ConformCommand.self, MatrixCommand.self,
      BenchCommand.self, ReplayCommand.self,
    ])

  static func main() -> Never {
    // By default Mesa's software renderer starts a thread for each of the machine's CPUs, even those that this process
    // may not use. A value that the user set is kept. Changing the environment is safe here: there is no other thread
    // yet. The pictures of conform are small: it takes twice as long with llvmpipe's threads as without.
    let isConform = CommandLine.arguments.dropFirst().first == ConformCommand.configuration.commandName
    setenv("LP_NUM_THREADS", isConform ? "0" : String(ProcessorCount.ofThisProcess.value), 0)
    keepMemoryOfFrames()
    ignoreSignalsOfWriting()
    do {
      let command = try command()
      // From here on there are threads.
      do {
        try requireResources()
      } catch {
        _ = try (command as? any FrameCommand)?.frameRun.removeReport()
        throw error
      }
      Task { end(await outcome(of: command)) }
    } catch {
      end(error)
    }
    dispatchMain()
  }

  /// Ends the process with the code of `error`, or with success.
  fileprivate static func end(_ error: (any Error)?) -> Never {
    var error = error
    if let help = error, !(help is SafelightError), exitCode(for: help) == .success {
      // Help and version are output like any other, and a disk may be full.
      do {
        try deliver(fullMessage(for: help) + "\n")
        error = nil
      } catch let fault {
        error = fault
      }
    }
    if let fault = error as? SafelightError {
      complain(fault)
      error = fault.exitCode
    }
    Console.close()
    exit(withError: error)
  }

  /// The command that the arguments name.
  private static func command() throws -> any ParsableCommand {
    try MistakenArguments.refuseBytes()
    let arguments = Array(CommandLine.arguments.dropFirst())
    try MistakenArguments.refuse(arguments, of: SafelightCommand.self)
    let command: any ParsableCommand
    do {
      command = try parseAsRoot(arguments)
    } catch  where exitCode(for: error) == .validationFailure {
      // The error for an option of another program names the option of this tool.
      throw MistakenArguments.hint(for: arguments, of: SafelightCommand.self) ?? error
    }
    guard type(of: command).configuration.subcommands.isEmpty else {
      // A group of commands does nothing by itself.
      Console.line(helpMessage(for: type(of: command)))
      throw ExitCode.usage
    }
    try MistakenArguments.refuseRepeated(arguments, of: type(of: command))
    return command
  }

  /// Throws ``SafelightError`` of kind `resources` unless there are as many threads and descriptors as a command may
  /// need: those that Dispatch and llvmpipe make for each CPU, and those that wait for signals, films and children.
  private static func requireResources() throws(SafelightError) {
    let processors = ProcessorCount.ofThisProcess
    // Dispatch goes by the CPUs that the process sees, all else by those that it may use.
    try ProcessLimits.requireThreads(12 + 2 * (processors.affinity ?? processors.value) + 3 * processors.value)
    try ProcessLimits.requireDescriptors(48 + 2 * processors.value, for: "too few open files")
  }

  /// Runs `command`. Returns the error or exit code that ends it; nil for success.
  private static func outcome(of command: any ParsableCommand) async -> (any Error)? {
    do {
      let captures = try CaptureFolder.install()
      defer { captures?.tell() }
      if var command = command as? any AsyncParsableCommand {
        try await command.run()
      } else {
        var command = command
        try command.run()
      }
      return nil
    } catch {
      return error
    }
  }
}

extension CaptureFolder {
  /// Reports how much was captured.
  fileprivate func tell() {
    let summary = summary
    guard summary.captures > 0 || summary.leftOut > 0 else { return }
    Console.line("safelight: captured \(summary.captures) command buffers in \(path), \(summary.bytes) bytes")
    if summary.leftOut > 0 {
      Console.line(
        "safelight: \(summary.leftOut) more were left out: captures may take at most 4 GiB; see "
          + "SAFELIGHT_CAPTURE_FIRST and _LABELS")
    }
  }
}

/// Makes the allocator keep the memory of finished frames for later ones.
///
/// A frame is allocated and freed in pieces of a few MiB. By default glibc takes each piece anew from the system, which
/// clears it page by page, and hands it back, thread by thread: about a tenth of the CPU time of a run of 1080p frames
/// (mallopt(3)). Must be called before there are other threads.
private func keepMemoryOfFrames() {
  // The largest threshold that glibc accepts: only larger pieces are taken from the system one by one.
  mallopt(M_MMAP_THRESHOLD, 32 << 20)
  // Twice what askForLargePages() takes at once.
  mallopt(M_TRIM_THRESHOLD, 512 << 20)
  // With a single arena, one thread reuses the memory that another one freed.
  mallopt(M_ARENA_MAX, 1)
  askForLargePages()
}

/// Lets the first 256 MiB of the arena lie in pages of 2 MiB, where Linux gives those to whoever asks (madvise(2)).
///
/// The system clears a page at its first use, and a run of 1080p frames first uses 20000 pages of 4 KiB: a tenth of the
/// CPU time of 24 frames. Address space takes no memory until then, but it counts where a limit is set (ulimit -v, -d).
/// Where the system refuses it, the arena grows as usual.
private func askForLargePages() {
  let isLimited = [RLIMIT_AS, RLIMIT_DATA].contains { resource in
    var limit = rlimit()
    return unsafe getrlimit(__rlimit_resource_t(resource.rawValue), &limit) != 0 || limit.rlim_cur != rlim_t.max
  }
  if isLimited { return }
  let (page, usualPad) = (2 << 20, Int32(128 << 10))
  // The arena grows by the piece that is asked for and the pad, and keeps both.
  mallopt(M_TOP_PAD, 256 << 20)
  let piece = unsafe malloc(page)
  mallopt(M_TOP_PAD, usualPad)
  guard let piece = unsafe piece else { return }
  let (first, end) = unsafe (Int(bitPattern: piece), Int(bitPattern: sbrk(0)))
  unsafe free(piece)
  let start = (first + page - 1) / page * page
  guard start < end, let address = UnsafeMutableRawPointer(bitPattern: start) else { return }
  unsafe madvise(address, end - start, MADV_HUGEPAGE)
}
