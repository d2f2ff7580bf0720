import Foundation
import TestSupport
import Testing

/// Runs that are divided among the tasks of a cluster. Instead of Slurm, a program of the same name runs each task at
/// once; `scripts/test-slurm` does the same with Slurm itself.
@Suite struct SubmitTests {
  let folder = TemporaryFolder()

  init() throws {
    try folder.make("bin")
    // Numbers jobs from 1, and runs the tasks of --array=0-2,4 one after the other; a job whose predecessor failed does
    // not run. Tasks that KILL lists are killed.
    try write(
      """
      #!/bin/bash
      echo "$*" >> calls; job=$(wc -l < calls); list=x
      for word in "$@"; do
        case "$word" in
          --array=*) list=$(eval echo $(sed -E 's/([0-9]+)-([0-9]+)/{\\1..\\2}/g; s/,/ /g' <<<"${word#*=}")) ;;
          --dependency=afterok:*) [ ! -e "failed-${word##*:}" ] || touch "failed-$job" ;;
        esac
      done
      if [ ! -e "failed-$job" ]; then
        for task in $list; do
          case " $KILL " in *" $task "*) continue ;; esac
          SLURM_ARRAY_JOB_ID=$job SLURM_ARRAY_TASK_ID=$task SLURM_JOB_ID=$job SLURM_ARRAY_TASK_COUNT=99 \
            sh "${@: -1}" >> log 2>&1 || touch "failed-$job"
        done
      fi
      echo "$job;cluster"
      """, to: "bin/sbatch")
    try write("#!/bin/sh\necho 'slurm_load_jobs error: Invalid job id specified' >&2; exit 1\n", to: "bin/squeue")
    try folder.writeFrames(7)
  }

  private func write(_ text: String, to name: String) throws {
    try folder.write(text, to: name)
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: folder.path(name))
  }

  @discardableResult private func run(_ line: String, code: Int32 = 0) throws -> Tool.Outcome {
    try folder.shell("export PATH=$PWD/bin:$PATH SAFELIGHT_DEVICE=cpu; \(line)", code: code)
  }

  @Test func partsMakeTheFramesOfOneRun() throws {
    try run("safelight process in -o whole --filter 'saturation=1.2' -q")
    let told = try run("safelight submit slurm --parts 3 -- process in -o out --filter saturation=1.2")
    let job = folder.path("safelight-job")
    #expect(told.output == "submitted process 1; to follow it: safelight submit status \(job)\n")
    try run("diff -r whole out && ls safelight-job/reports | grep -c json | grep -qx 3")
    try run("safelight submit status safelight-job --report all.json").prints(only: "7 of 7 frames are finished\n")
    let report = try folder.report("all.json")
    #expect(report.frames.map(\.index) == Array(0..<7) && report.summary.done == 7 && report.shard == nil)
    try run("safelight submit retry safelight-job").says("nothing to do: every part is whole")
  }

  @Test func tablesAreMadeFirst() throws {
    try run("safelight analyze in -o a.counts -q; safelight merge a.counts -o whole.tables --per shot -q")
    try run("safelight process in -o whole --filter equalize=table=whole.tables -q")
    try run(
      "safelight submit slurm --parts 3 --per shot --job 'a job' -- equalize in -o out --table it.tables"
    ).prints(first: "submitted analyze 1, merge 2, process 3; ")
    try run("cmp whole.tables it.tables; diff -r whole out; safelight submit status 'a job'")
    let calls = try folder.text("calls").split(separator: "\n")
    let job = folder.path("a job")
    #expect(calls[0] == "--parsable --output=\(job)/logs/analyze-%A_%a.txt --array=0-2 \(job)/analyze.sh")
    #expect(calls[1] == "--parsable --output=\(job)/logs/merge-%j.txt --dependency=afterok:1 \(job)/merge.sh")
    #expect(calls[2].hasSuffix(" --array=0-2 --dependency=afterok:2 \(job)/process.sh"))
  }

  @Test func retrySubmitsWhatIsNotWhole() throws {
    try run("safelight process in -o whole --filter invert -q")
    try run("export KILL='1 3'; safelight submit slurm --parts 4 -- process in -o out --filter invert")
    let status = try run("safelight submit status safelight-job", code: 75)
    let job = folder.path("safelight-job")
    #expect(
      status.output
        == "3 of 7 frames are finished; no report of parts 1,3; safelight submit retry \(job) does the rest\n")
    try run("safelight submit retry safelight-job; diff -r whole out; safelight submit status safelight-job")
    let calls = try folder.text("calls")
    #expect(calls.hasSuffix(" --array=1,3 \(job)/process.sh\n"), "\(calls)")
  }

  @Test func damagedCountsAreMadeAgain() throws {
    try run("export KILL=1; safelight submit slurm --parts 3 -- process in -o out --filter equalize=table=it.tables")
    try run("safelight submit status safelight-job", code: 75).prints("it.tables are not made yet")
    try run("printf x | dd of=safelight-job/counts/part-2.counts bs=1 seek=3000 conv=notrunc status=none")
    try run("safelight submit retry safelight-job --dry-run")
      .prints(only: "analyze --array=1-2\nmerge\nprocess --array=0-2\n")
    try run("safelight submit retry safelight-job; safelight submit status safelight-job")
    try run("safelight analyze in -o a.counts -q; safelight merge a.counts -o b.tables -q; cmp b.tables it.tables")
  }

  @Test func aDamagedFrameEndsWithItsCode() throws {
    try run("head -c 60 in/f2.png > cut; mv cut in/f2.png")
    try run("safelight submit slurm --parts 7 -- process in -o out")
    try run("safelight submit status safelight-job", code: 65)
      .prints(first: "6 of 7 frames are finished; 1 failed; not whole: parts 2; ")
  }

  @Test func dryRunPrintsTheScriptsAndWritesNothing() throws {
    let told = try run(
      """
      safelight submit slurm --dry-run --gpu --cpus 8 --time 30 --sbatch=--partition=long -- process in -o "an o'ut" \
      --filter equalize=table=it.tables
      """)
    for line in [
      "# sbatch --output=", " --partition=long --gres=gpu:1 --cpus-per-task=8 --time=30 merge.sh\n",
      "--shard \"$SLURM_ARRAY_TASK_ID/1\"", #"'an o'\''ut'"#,
    ] {
      #expect(told.output.contains(line), "\(line)")
    }
    try run("! test -e safelight-job && ! test -e calls")
  }

  static let refused: [(String, String)] = [
    ("", "no run is named"),
    ("-- compare a b", "only a run over frames can be divided"),
    ("-- process in -o out --shard 0/2", "--shard: each task makes a part of the frames"),
    ("-- process in -o out --report r.json", "submit status writes a report of all parts"),
    ("-- process in -o out --existing overwrite", "a task that is queued again keeps what is finished"),
    ("-- process in -o out.mp4", "films, pictures that ffmpeg opens, and pipes are made by one process"),
    ("--per shot -- process in -o out", "this run needs none"),
    ("-- process in -o out --filter invert,equalize=table=it.tables", "another filter comes before"),
    ("-- process in -o out --filter nonsense", "nonsense"),
    ("-- process in -o out --gaps hold", "--gaps hold: it repeats a frame of a film"),
    ("-- process in -o out --device cpu --verify-with cpu", "prove nothing"),
    ("-- process in -o out --device gpu", "not a device selector"),
    ("-- process in -o out --filter equalize=table=it.tables:channels=each", "no other parameter has an effect"),
  ]

  @Test(arguments: refused) func unfitRunsAreRefused(_ arguments: String, _ why: String) throws {
    try run("safelight submit slurm \(arguments)", code: 64).says(why)
    try run("! test -e safelight-job && ! test -e calls")
  }

  @Test func aFolderHoldsOneJob() throws {
    try run("safelight submit slurm -- process in -o out")
    try run("safelight submit slurm -- process in -o out", code: 64).says("it holds a job already")
    try run("safelight submit status in", code: 66).says("it holds no job")
    try run("safelight submit slurm --job in -- process in -o out", code: 64).says("it is not empty")
    try write("#!/bin/sh\necho 1_0\n", to: "bin/squeue")
    try run("rm safelight-job/reports/*; safelight submit retry safelight-job", code: 64)
      .says("tasks of it are in the queue (job 1)")
    try write("#!/bin/sh\necho 'sbatch: error: invalid partition'; exit 1\n", to: "bin/sbatch")
    try run("rm -r safelight-job; safelight submit slurm -- process in -o out", code: 69)
      .says("sbatch: exit code 1: sbatch: error: invalid partition")
    try run("! test -e safelight-job")
  }

  /// Where squeue does not work, tasks may be in the queue.
  @Test func anUnknownQueueIsTold() throws {
    try run("export KILL=0; safelight submit slurm -- process in -o out")
    try write("#!/bin/sh\necho 'Unable to contact slurm controller'; exit 1\n", to: "bin/squeue")
    try run("safelight submit status safelight-job", code: 75)
      .prints("the queue is unknown: squeue: exit code 1: Unable to contact")
    try run("safelight submit retry safelight-job", code: 69)
  }

  /// A part of other frames than those that were divided would leave some out.
  @Test func framesThatComeLaterAreRefused() throws {
    try run("export KILL=3; safelight submit slurm --parts 4 -- process in -o out; cp in/f0.png in/f7.png")
    try run("safelight submit retry safelight-job")
    try run("safelight submit status safelight-job", code: 65).prints("5 of 7 frames are finished", "frames were added")
    try run("rm in/f7.png; safelight submit retry safelight-job; safelight submit status safelight-job")
  }

  @Test func aFrameThatCannotBeCountedIsTold() throws {
    try run("head -c 60 in/f2.png > cut; mv cut in/f2.png")
    try run("safelight submit slurm --parts 7 -- process in -o out --filter equalize=table=it.tables")
    try run("safelight submit status safelight-job", code: 65)
      .prints("analyze 2 ended with exit code 65; their messages are in")
  }

  @Test func wordsReachTheTasksAsTheyAre() throws {
    let odd = "a'\u{301}$(touch pwned) %j"
    try folder.move("in", to: odd)
    try FileManager.default.createSymbolicLink(atPath: folder.path("in"), withDestinationPath: odd)
    try run("safelight process in -o whole -q")
    try run(
      "safelight submit slurm --parts 2 --job '50%j' -- process -o out -- ./a*; diff -r whole out; ! test -e pwned")
    try run("safelight submit slurm --job j --per shot -- process -o o --filter equalize=table=t.tables -- ./a*")
    try run("safelight submit status j; ! test -e pwned; grep -q -e '--output=.*/50%%j/logs/' calls")
    try run("safelight submit status j --report j/job.json", code: 73)
    try run("safelight submit status j --report j/reports/part-0.json", code: 73)
  }

  /// The time limit's signal reaches the shell alone, which passes it on and asks to be queued again; what was canceled
  /// does not come back.
  @Test(arguments: ["kill -USR1 $!", "kill -USR1 $!; until [ -e told ]; do sleep 0.1; done; kill -TERM $!"])
  func anInterruptedTaskAsksToBeQueuedAgain(_ signals: String) throws {
    try write("#!/bin/sh\necho \"$*\" >> requeued; kill $PPID\n", to: "bin/scontrol")
    try run("safelight submit slurm -- process in -o out; rm -r out")
    // Waits for its signal as safelight does that finishes its frames.
    try write(
      "#!/bin/bash\nfinish() { touch told; until [ -e signaled ]; do sleep 0.1; done; exit 75; }\n"
        + "trap finish USR1; touch begun; while :; do sleep 0.1; done\n", to: "slow")
    let script = "safelight-job/process.sh"
    try run("sed -i -E \"s|^[^ ]*safelight process|$PWD/slow|\" \(script); grep -q /slow \(script)")
    try run(
      """
      SLURM_ARRAY_JOB_ID=5 SLURM_ARRAY_TASK_ID=0 sh safelight-job/process.sh &
      until [ -e begun ]; do sleep 0.1; done; \(signals)
      touch signaled; wait $! || true
      """)
    let requeued = try? String(decoding: folder.bytes("requeued"), as: UTF8.self)
    #expect(requeued == (signals.contains("TERM") ? nil : "requeue 5_0\n"))
  }
}
