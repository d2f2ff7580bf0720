import CMalloc

/// Lets the allocator keep the memory of frames that are gone for those to come.
///
/// A frame comes and goes in pieces of some MiB. By default glibc takes each anew from the system, which clears it page by page, and hands it
/// back, thread by thread: about a tenth of the CPU time of a run of 1080p frames (mallopt(3)). To be called before there are other threads.
func keepMemoryOfFrames() {
  // The most that glibc lets a piece have that is not the system's own.
  mallopt(M_MMAP_THRESHOLD, 32 << 20)
  mallopt(M_TRIM_THRESHOLD, 256 << 20)
  // What one thread leaves another one takes.
  mallopt(M_ARENA_MAX, 1)
}
