/// What stands in a working copy for a file that Git LFS has not fetched: a text whose first line names its specification.
///
/// https://github.com/git-lfs/git-lfs/blob/main/docs/spec.md
package enum GitLFSPointer {
  private static let beginning = Array("version https://git-lfs.github.com/spec/v1".utf8)

  /// What to do about one.
  package static let remedy = "run git lfs pull"

  /// True where the file whose bytes these are is one.
  package static func isPointer(_ file: [UInt8]) -> Bool { file.starts(with: beginning) }
}
