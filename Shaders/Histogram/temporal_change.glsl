// temporal_change: what a picture changes of the sum of a scene's last histograms. Twin: TemporalHistogram.
//
// in   current  the picture's histogram
// in   oldest   that of LENGTH pictures before
// in   scene    the numbers of temporal_scene
// grid a thread for each count
void main() {
  uint word = gl_GlobalInvocationID.x;
  setNumber(word, current(word) - (scene(1u) == 0u ? 0u : oldest(word)));
}
