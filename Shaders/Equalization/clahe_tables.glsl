// clahe_tables: where the look-up tables of the tiles lie in their texture. Twin: ImageContrastLimitedEqualization.
//
// Tile after tile, a texel a value, a channel a plane; rows of 2048 texels at most, so that 64 tiles of 16 bits fill
// the smallest texture that every device has.
#if SAMPLE_BITS == 8
#define ENTRIES 256u
#define TABLE_COLUMN_BITS 8
#else
#define ENTRIES 65536u
#define TABLE_COLUMN_BITS 11
#endif
#define TABLE_COLUMNS (1u << TABLE_COLUMN_BITS)
#define TABLE_ROWS (ENTRIES >> TABLE_COLUMN_BITS)

ivec2 tablePosition(uint tile, uint value) {
  return ivec2(int(value & (TABLE_COLUMNS - 1u)), int(tile * TABLE_ROWS + (value >> TABLE_COLUMN_BITS)));
}
