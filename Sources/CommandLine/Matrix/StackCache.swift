import FoundationEssentials
import Glibc
import Safelight

/// The folder of fetched packages and of the trees they are unpacked into. Nothing is installed.
struct StackCache: Sendable {
  let folder: String

  /// `SAFELIGHT_STACKS`, else `safelight/stacks` in the user's cache folder.
  ///
  /// - Throws: ``SafelightError`` of kind `environment` if no variable names a folder.
  init(environment: [String: String]) throws {
    if let named = environment["SAFELIGHT_STACKS"], !named.isEmpty {
      folder = named
    } else if let cache = environment["XDG_CACHE_HOME"], cache.hasPrefix("/") {
      folder = cache + "/safelight/stacks"
    } else if let home = environment["HOME"], !home.isEmpty {
      folder = home + "/.cache/safelight/stacks"
    } else {
      throw SafelightError(
        .environment, "driver stacks", why: "there is no folder to keep them in: HOME is not set",
        remedy: "name one in SAFELIGHT_STACKS")
    }
  }

  /// The folder of a stack's unpacked packages; stacks of the same packages share one.
  func tree(of stack: DriverStack) -> String {
    let text = stack.packages.map { "\($0.name) \($0.sha256)\n" } + stack.links.sorted(by: <).map { "\($0) \($1)\n" }
    return "\(folder)/tree-\(SHA256.hash(Array(text.joined().utf8)).hexadecimal.prefix(16))"
  }

  /// True if the stack's packages are unpacked, or it needs none.
  func has(_ stack: DriverStack) -> Bool { stack.packages.isEmpty || Folder.exists(tree(of: stack)) }

  /// Downloads and unpacks the packages of a stack.
  ///
  /// The tree appears whole or not at all, and only if every package has the hash that the stack states.
  ///
  /// - Throws: ``SafelightError`` of kind `environment` that names the failed step and quotes the program that failed.
  func fetch(_ stack: DriverStack, until stop: StopRequest) async throws {
    try Folder.make(folder)
    // One process fetches at a time, so an unfinished tree was left by a process that was killed.
    let lock = open(folder + "/.lock", O_CREAT | O_RDWR | O_CLOEXEC, 0o666)
    guard lock >= 0, flock(lock, LOCK_EX) == 0 else {
      throw failure("the folder \(folder) cannot be locked")
    }
    defer { close(lock) }
    if has(stack) { return }
    let part = folder + "/.part"
    if fileExists(part) { try FileManager.default.removeItem(atPath: part) }
    try Folder.make(part)
    // If this fails, the folder is hidden and the next fetch removes it.
    defer { try? FileManager.default.removeItem(atPath: part) }
    let apt = AptDownload(folder: part + "/apt", stop: stop)
    if !stack.packages.allSatisfy({ fileExists(path(of: $0)) }) {
      try await apt.update(suites: Set(stack.packages.map(\.suite)).sorted())
    }
    for package in stack.packages {
      let file = try await file(of: package, apt)
      try await run(["dpkg-deb", "--extract", file, part + "/tree"], "\(package.name) cannot be unpacked", until: stop)
    }
    for (link, target) in stack.links {
      guard symlink(target, "\(part)/tree/\(link)") == 0 else {
        throw failure("the link \(link) cannot be made")
      }
    }
    guard rename(part + "/tree", tree(of: stack)) == 0 else {
      throw failure("the folder \(tree(of: stack)) cannot be made")
    }
  }

  private func path(of package: DriverStack.Package) -> String { "\(folder)/\(package.sha256).deb" }

  /// The file of a package, downloaded unless it is in the folder already.
  private func file(of package: DriverStack.Package, _ apt: AptDownload) async throws -> String {
    let kept = path(of: package)
    if !fileExists(kept) {
      let file = try await apt.download(package)
      guard rename(file, kept) == 0 else { throw failure("\(kept) cannot be made") }
    }
    let hash = SHA256.hash(try readFile(kept)).hexadecimal
    guard hash == package.sha256.lowercased() else {
      unlink(kept)
      throw failure("\(package.name) \(package.version) has the hash \(hash) and not the stack's", package.sha256)
    }
    return kept
  }
}

/// Downloads Debian packages of any suite with apt, whose lists and sources are kept in a folder of their own: those of
/// the system do not change, and an ordinary user may do it.
private struct AptDownload {
  let folder: String
  let stop: StopRequest

  /// Downloads a package, and returns the path of its file.
  func download(_ package: DriverStack.Package) async throws -> String {
    let files = folder + "/files"
    try Folder.make(files)
    try await run(
      ["sh", "-c", "cd \"$0\" && exec apt-get \"$@\"", files] + options
        + ["download", "\(package.name)=\(package.version)"],
      "\(package.name) \(package.version) cannot be downloaded", until: stop)
    guard let name = try Folder.files(in: files, where: { $0.hasSuffix(".deb") }).first else {
      throw failure("\(package.name) \(package.version) cannot be downloaded", "apt-get left no file")
    }
    return "\(files)/\(name)"
  }

  private var options: [String] {
    [
      "-q", "-o", "Dir::State::lists=\(folder)/lists", "-o", "Dir::Cache=\(folder)/cache",
      "-o", "Dir::Etc::sourcelist=\(folder)/sources.list", "-o", "Dir::Etc::sourceparts=-",
      "-o", "APT::Architecture=amd64", "-o", "APT::Architectures=amd64", "-o", "Acquire::Retries=2",
      "-o", "APT::Sandbox::User=",
    ]
  }

  /// Reads the lists of the suites, from the mirror that the machine has its own packages from.
  func update(suites: [String]) async throws {
    for name in ["lists/partial", "cache/archives/partial"] { try Folder.make("\(folder)/\(name)") }
    let sites = try await run(
      ["apt-get", "indextargets", "--format", "$(CREATED_BY) $(REPO_URI) $(RELEASE)"],
      "the machine's package sources cannot be read", until: stop)
    let words = sites.map { $0.split(separator: " ") }.filter { $0.count == 3 && $0[0] == "Packages" }
    guard let site = words.first(where: { suites.contains(String($0[2])) }) ?? words.first else {
      throw failure("the machine's package sources name no mirror", "apt-get indextargets lists none")
    }
    try deliver(suites.map { "deb \(site[1]) \($0) main\n" }.joined(), to: folder + "/sources.list")
    // To apt an unreachable list is a warning; the download would then fail for a less clear reason.
    let command: [String] = ["apt-get"] + options + ["-o", "APT::Update::Error-Mode=any", "update"]
    try await run(command, "the lists of packages cannot be read", until: stop)
  }
}

/// Runs a program to its end, and returns the lines that it wrote.
@discardableResult
private func run(_ command: [String], _ what: String, until stop: StopRequest) async throws -> [String] {
  let lines = LineCollector()
  let program = ChildProgram(
    command: command, environment: ProcessInfo.processInfo.environment.merging(["LC_ALL": "C"]) { $1 },
    timeout: .seconds(900))
  let ending = await program.run(until: stop) { lines.append($0) }
  guard let fault = ending.fault else { return lines.all }
  let errors = lines.all.filter { $0.hasPrefix("E: ") || $0.hasPrefix("dpkg-deb: error") }
  throw failure(what, (errors.last ?? lines.all.last).map { "\(command[0]): \($0)" } ?? fault)
}

/// The error for what failed; `why` is by default what the system says.
private func failure(_ what: String, _ why: String = String(cString: strerror(errno))) -> SafelightError {
  SafelightError(.environment, what, why: why, remedy: "check network and disk, and fetch again")
}
