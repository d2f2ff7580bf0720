import CMalloc

/// Makes the allocator keep the memory of finished frames for later ones.
///
/// A frame is allocated and freed in pieces of a few MiB. By default glibc takes each piece anew from the system, which
/// clears it page by page, and hands it back, thread by thread: about a tenth of the CPU time of a run of 1080p frames
/// (mallopt(3)). Must be called before there are other threads.
func keepMemoryOfFrames() {
  // The largest threshold that glibc accepts: only larger pieces are taken from the system one by one.
  mallopt(M_MMAP_THRESHOLD, 32 << 20)
  mallopt(M_TRIM_THRESHOLD, 256 << 20)
  // With a single arena, one thread reuses the memory that another one freed.
  mallopt(M_ARENA_MAX, 1)
}
