// temporal_sum: the sum of the histograms of a scene's last pictures. Twin: TemporalHistogram.
//
// in   change  the numbers of temporal_change
// in   before  the sum for the picture before
// in   scene   the numbers of temporal_scene
// out  numbers  the sum, modulo 2^32, so that histograms that left it leave no trace
// grid a thread for each count
void main() {
  uint word = gl_GlobalInvocationID.x;
  setNumber(word, (scene(0u) == 1u ? 0u : before(word)) + change(word));
}
