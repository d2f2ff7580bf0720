// numbers_table: a table of numbers for functions that cannot read buffers. Twin: NumbersTable.
//
// out  entries  WORDS, in rows of COLUMNS: the lower half of a word, then the upper
// grid a thread for each word
void main() {
  uint word = gl_GlobalInvocationID.x;
  if (word >= WORDS) return;
  uint number = numbers(word);
  store(ivec2(word % COLUMNS, word / COLUMNS), uvec4(number & 0xFFFFu, number >> 16, 0u, 0u));
}
