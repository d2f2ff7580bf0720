#pragma once

#include <stddef.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

// Loops over the samples of rows, of which twins are made. They are in C because clang makes of vectors the widest
// instructions that each processor has, in debug builds too. Nothing here allocates memory or keeps anything.

/// A picture that is warped, of which a part lies in memory, and what is taken of it.
typedef struct {
    /// The first pixel that lies in memory, and the bytes from a row to the next.
    const void *pixels;
    size_t stride;
    /// The column and row of that pixel, and the columns and rows of the whole picture.
    int32_t left, top, width, height;
    /// The pixels beyond the edges: 0 for `color`, 1 for the pixels at the edges, 2 for the picture mirrored at them.
    int32_t edge;
    /// The pixels along each axis of which one is made: 1, 2, 4 or 6.
    int32_t taps;
    /// The samples of a pixel.
    const void *color;
    /// For each 256th of a pixel the weights of `taps` pixels in 1024ths, and 0 up to a multiple of four; for 4 and 6.
    const int16_t *_Nullable weights;
} CKernelWarp;

/// The operations for one set of instructions; all sets give the same.
///
/// Memory that is written overlaps nothing else.
typedef struct {
    /// The instructions: `avx512`, `avx2`, `sse4.1` or `baseline`.
    const char *name;

    // MARK: Sums with weights. `weights[0]` is that of the middle, `weights[radius]` that of both ends.

    /// Sums samples of 2 · radius + 1 rows, given from above, in 16 bits: all weights together are at
    /// most 257.
    void (*sum_rows_8)(
        uint16_t *sums, const uint8_t *_Nonnull const *_Nonnull rows, const uint32_t *weights, size_t radius,
        size_t count);
    /// Sums samples in 32 bits; all weights together are 65536.
    void (*sum_rows_8_wide)(
        uint32_t *sums, const uint8_t *_Nonnull const *_Nonnull rows, const uint32_t *weights, size_t radius,
        size_t count);
    void (*sum_rows_16)(
        uint32_t *sums, const uint16_t *_Nonnull const *_Nonnull rows, const uint32_t *weights, size_t radius,
        size_t count);

    /// Parts sums into their upper and lower halves, as ``sum_row_8`` and the like read them.
    void (*halve_16)(uint16_t *upper, uint16_t *lower, const uint16_t *sums, size_t count);
    void (*halve_32)(uint16_t *upper, uint16_t *lower, const uint32_t *sums, size_t count);

    /// Sums a row of sums with its neighbors, each `step` further on, and divides by 65536, halves rounded up. All
    /// weights together are 256. Both halves have `radius · step` words before the first and behind the last.
    void (*sum_row_8)(
        uint8_t *made, const uint16_t *upper, const uint16_t *lower, const uint32_t *weights, size_t radius,
        size_t step, size_t count);
    /// Divides by 2³²; all weights together are 65536.
    void (*sum_row_8_wide)(
        uint8_t *made, const uint16_t *upper, const uint16_t *lower, const uint32_t *weights, size_t radius,
        size_t step, size_t count);
    void (*sum_row_16)(
        uint16_t *made, const uint16_t *upper, const uint16_t *lower, const uint32_t *weights, size_t radius,
        size_t step, size_t count);

    // MARK: Resampling. A weight of 2²² stands for one; sums are rounded to whole samples, halves up.

    /// Sums samples of `taps` rows.
    void (*weigh_rows_8)(
        uint8_t *made, const uint8_t *_Nonnull const *_Nonnull rows, const int32_t *weights, size_t taps,
        size_t count);
    void (*weigh_rows_16)(
        uint16_t *made, const uint16_t *_Nonnull const *_Nonnull rows, const int32_t *weights, size_t taps,
        size_t count);
    /// Sums pixels along four rows at once, or sixteen rows of pixels of one sample. A pixel is made by its span, of
    /// which the next is `stride` numbers further on: the first column, the number of columns, and a weight for each.
    /// `rows` have `width` pixels from column `first` on; `woven` is room for 16 samples of each of these columns.
    void (*weigh_row_8)(
        uint8_t *_Nonnull const *_Nonnull made, const uint8_t *_Nonnull const *_Nonnull rows, uint8_t *woven,
        const int32_t *spans, size_t stride, size_t first, size_t width, size_t count);
    void (*weigh_row_16)(
        uint16_t *_Nonnull const *_Nonnull made, const uint16_t *_Nonnull const *_Nonnull rows, uint16_t *woven,
        const int32_t *spans, size_t stride, size_t first, size_t width, size_t count);
    void (*weigh_row_gray_8)(
        uint8_t *_Nonnull const *_Nonnull made, const uint8_t *_Nonnull const *_Nonnull rows, uint8_t *woven,
        const int32_t *spans, size_t stride, size_t first, size_t width, size_t count);
    void (*weigh_row_gray_16)(
        uint16_t *_Nonnull const *_Nonnull made, const uint16_t *_Nonnull const *_Nonnull rows, uint16_t *woven,
        const int32_t *spans, size_t stride, size_t first, size_t width, size_t count);

    /// Sums two pixels of a row in 256ths or 65536ths, for each of `count` pixels. Its pair of `places` has the columns
    /// of both, and `weights` the parts of the second, one for each sample.
    void (*stretch_8)(
        uint16_t *sums, const uint8_t *row, const uint32_t *places, const uint16_t *weights, size_t count);
    void (*stretch_16)(
        uint32_t *sums, const uint16_t *row, const uint32_t *places, const uint32_t *weights, size_t count);
    void (*stretch_gray_8)(
        uint16_t *sums, const uint8_t *row, const uint32_t *places, const uint16_t *weights, size_t count);
    void (*stretch_gray_16)(
        uint32_t *sums, const uint16_t *row, const uint32_t *places, const uint32_t *weights, size_t count);
    /// Sums such sums of two rows, of which the second has the part `weight`, in whole samples, halves rounded up.
    void (*mix_rows_8)(
        uint8_t *made, const uint16_t *uppers, const uint16_t *lowers, uint32_t weight, size_t count);
    void (*mix_rows_16)(
        uint16_t *made, const uint32_t *uppers, const uint32_t *lowers, uint32_t weight, size_t count);
    /// Means of 2×2 pixels, halves rounded up: `count` pixels of two rows that have twice as many.
    void (*halve_pixels_8)(uint8_t *made, const uint8_t *above, const uint8_t *below, size_t count);
    void (*halve_pixels_16)(uint16_t *made, const uint16_t *above, const uint16_t *below, size_t count);
    void (*halve_gray_8)(uint8_t *made, const uint8_t *above, const uint8_t *below, size_t count);
    void (*halve_gray_16)(uint16_t *made, const uint16_t *above, const uint16_t *below, size_t count);

    // MARK: Warps. Positions are made eight at a time, so that there is room for seven more. They are columns and rows
    // in 256ths of pixels, or in pixels where one is taken.

    /// Rounds numbers of a line, each a step from the one before, which have `shift` bits more than positions.
    void (*place_line)(int32_t *places, int64_t first, int64_t step, int shift, size_t count);
    /// Divides the numbers of two lines by those of a third, times 2 to the power of `shift`; at most 2²² pixels away.
    /// Where the divisor is not above 0 both are -2³¹. Numbers are below 2⁶⁰, divisors below 2⁴⁴.
    void (*place_quotients)(
        int32_t *columns, int32_t *rows, const int64_t *firsts, const int64_t *steps, int shift, size_t count);
    /// Moves the pixels of a row from column `x` on by a lens: the first two distances from its center, and the step
    /// along the row, in 2⁻⁵⁶ radii; three radial coefficients, two tangential, and the radius in columns and rows.
    void (*place_by_lens)(
        int32_t *columns, int32_t *rows, int64_t x, int64_t y, const int64_t *firsts, int64_t step,
        const int32_t *lens, int shift, size_t count);
    /// Makes each of `count` pixels of those around its position. Two numbers of -2³¹ stand for a pixel of the color.
    /// Sums are rounded to whole samples, halves up.
    void (*warp_8)(
        uint8_t *made, const CKernelWarp *warp, const int32_t *columns, const int32_t *rows, size_t count);
    void (*warp_16)(
        uint16_t *made, const CKernelWarp *warp, const int32_t *columns, const int32_t *rows, size_t count);
    void (*warp_gray_8)(
        uint8_t *made, const CKernelWarp *warp, const int32_t *columns, const int32_t *rows, size_t count);
    void (*warp_gray_16)(
        uint16_t *made, const CKernelWarp *warp, const int32_t *columns, const int32_t *rows, size_t count);

    // MARK: Sums that slide

    /// Sums of columns one row further down: those of `above`, with the row that enters and without the one that
    /// leaves.
    void (*slide_8)(
        uint32_t *sums, const uint32_t *above, const uint8_t *enters, const uint8_t *leaves, size_t count);
    void (*slide_16)(
        uint32_t *sums, const uint32_t *above, const uint16_t *enters, const uint16_t *leaves, size_t count);
    /// Means of squares of `size` columns, an odd number, by the sums of as many rows: those of the pixels from each on
    /// are added up. A pixel has `step` samples, 1 or 4. `totals` is room for as many numbers as samples are made. The
    /// size is at most 1001, or 255 where the totals of 16 bits have 32.
    void (*row_mean_8)(
        uint8_t *made, uint32_t *totals, const uint32_t *sums, size_t size, size_t step, size_t count);
    void (*row_mean_16)(
        uint16_t *made, uint32_t *totals, const uint32_t *sums, size_t size, size_t step, size_t count);
    void (*row_mean_16_wide)(
        uint16_t *made, uint64_t *totals, const uint32_t *sums, size_t size, size_t step, size_t count);

    // MARK: Luma

    /// Luma of BT.601 of pixels of four samples: (19595 · red + 38470 · green + 7471 · blue + 32768) >> 16.
    void (*luma_8)(uint8_t *luma, const uint8_t *pixels, size_t count);
    void (*luma_16)(uint16_t *luma, const uint16_t *pixels, size_t count);
    /// The lengths of Sobel's gradients, rounded down, at most the greatest sample. Each of the three rows has a sample
    /// before the first and one behind the last.
    void (*gradient_8)(
        uint8_t *made, const uint8_t *above, const uint8_t *middle, const uint8_t *below, size_t count);
    void (*gradient_16)(
        uint16_t *made, const uint16_t *above, const uint16_t *middle, const uint16_t *below, size_t count);
    /// Pixels of four samples: red, green and blue of `grays`, alpha of `pixels`.
    void (*spread_8)(uint8_t *made, const uint8_t *grays, const uint8_t *pixels, size_t count);
    void (*spread_16)(uint16_t *made, const uint16_t *grays, const uint16_t *pixels, size_t count);

    // MARK: Sums of channels

    /// Adds each of the four samples of at most 65536 pixels to its sum; unless `all`, of pixels whose fourth is above
    /// 0. Returns how many these are.
    uint32_t (*add_channels_8)(uint32_t *sums, const uint8_t *pixels, int all, size_t count);
    uint32_t (*add_channels_16)(uint32_t *sums, const uint16_t *pixels, int all, size_t count);

    // MARK: Medians. A neighbor lies `step` samples further on; rows have those of the radius before the first sample
    // and behind the last.

    /// The medians of squares of 3×3.
    void (*median_3_8)(
        uint8_t *made, const uint8_t *above, const uint8_t *middle, const uint8_t *below, size_t step, size_t count);
    void (*median_3_16)(
        uint16_t *made, const uint16_t *above, const uint16_t *middle, const uint16_t *below, size_t step,
        size_t count);
    /// Sorts the columns of the upper five and of the lower five of six rows, into five rows each, `stride` samples
    /// apart, the least first.
    void (*sort_5_8)(
        uint8_t *sorted, size_t stride, const uint8_t *_Nonnull const *_Nonnull rows, size_t count);
    void (*sort_5_16)(
        uint16_t *sorted, size_t stride, const uint16_t *_Nonnull const *_Nonnull rows, size_t count);
    /// The medians of squares of 5×5 whose columns are sorted.
    void (*median_5_8)(uint8_t *made, const uint8_t *sorted, size_t stride, size_t step, size_t count);
    void (*median_5_16)(uint16_t *made, const uint16_t *sorted, size_t stride, size_t step, size_t count);
    /// The medians of squares of 2 · radius + 1 rows, given from above; the radius is at most 7.
    void (*median_8)(
        uint8_t *made, const uint8_t *_Nonnull const *_Nonnull rows, size_t radius, size_t step, size_t count);
    void (*median_16)(
        uint16_t *made, const uint16_t *_Nonnull const *_Nonnull rows, size_t radius, size_t step, size_t count);

    // MARK: Means of pixels by the distance of their colors

    /// Means of the pixels at `taps` places around each of `count` pixels, of four samples or of one, halves rounded
    /// up. A pixel has the weight that its place's table has for the distance: the differences of red, green and blue
    /// together, in values of 8 bits, of which a gray has three that are equal. The weights of a pixel together are
    /// between 1 and 2²⁴.
    void (*bilateral_8)(
        uint8_t *made, const uint8_t *middle, const uint8_t *_Nonnull const *_Nonnull others,
        const uint32_t *_Nonnull const *_Nonnull tables, size_t taps, size_t count);
    void (*bilateral_16)(
        uint16_t *made, const uint16_t *middle, const uint16_t *_Nonnull const *_Nonnull others,
        const uint32_t *_Nonnull const *_Nonnull tables, size_t taps, size_t count);
    void (*bilateral_gray_8)(
        uint8_t *made, const uint8_t *middle, const uint8_t *_Nonnull const *_Nonnull others,
        const uint32_t *_Nonnull const *_Nonnull tables, size_t taps, size_t count);
    void (*bilateral_gray_16)(
        uint16_t *made, const uint16_t *middle, const uint16_t *_Nonnull const *_Nonnull others,
        const uint32_t *_Nonnull const *_Nonnull tables, size_t taps, size_t count);

    // MARK: A row over another

    /// Mixtures of samples, of which `weight` is the part in the greatest sample and the frame has the rest: the other
    /// samples themselves, their products divided by the greatest sample, or their sums without these products. Each
    /// division is rounded, halves up. The frame stays in the bits that `colors`, which repeats, lacks: those of alpha.
    void (*lay_8)(
        uint8_t *made, const uint8_t *frames, const uint8_t *others, uint8_t weight, uint64_t colors,
        size_t count);
    void (*lay_16)(
        uint16_t *made, const uint16_t *frames, const uint16_t *others, uint16_t weight,
        uint64_t colors, size_t count);
    void (*multiply_8)(
        uint8_t *made, const uint8_t *frames, const uint8_t *others, uint8_t weight, uint64_t colors,
        size_t count);
    void (*multiply_16)(
        uint16_t *made, const uint16_t *frames, const uint16_t *others, uint16_t weight,
        uint64_t colors, size_t count);
    void (*screen_8)(
        uint8_t *made, const uint8_t *frames, const uint8_t *others, uint8_t weight, uint64_t colors,
        size_t count);
    void (*screen_16)(
        uint16_t *made, const uint16_t *frames, const uint16_t *others, uint16_t weight,
        uint64_t colors, size_t count);
    /// The product where the frame is at most half the greatest sample, elsewhere the screen; and by the other's.
    void (*overlay_8)(
        uint8_t *made, const uint8_t *frames, const uint8_t *others, uint8_t weight, uint64_t colors,
        size_t count);
    void (*overlay_16)(
        uint16_t *made, const uint16_t *frames, const uint16_t *others, uint16_t weight,
        uint64_t colors, size_t count);
    void (*hard_light_8)(
        uint8_t *made, const uint8_t *frames, const uint8_t *others, uint8_t weight, uint64_t colors,
        size_t count);
    void (*hard_light_16)(
        uint16_t *made, const uint16_t *frames, const uint16_t *others, uint16_t weight,
        uint64_t colors, size_t count);
    /// The lesser and the greater samples, their distances, and these with less contrast.
    void (*darken_8)(
        uint8_t *made, const uint8_t *frames, const uint8_t *others, uint8_t weight, uint64_t colors,
        size_t count);
    void (*darken_16)(
        uint16_t *made, const uint16_t *frames, const uint16_t *others, uint16_t weight,
        uint64_t colors, size_t count);
    void (*lighten_8)(
        uint8_t *made, const uint8_t *frames, const uint8_t *others, uint8_t weight, uint64_t colors,
        size_t count);
    void (*lighten_16)(
        uint16_t *made, const uint16_t *frames, const uint16_t *others, uint16_t weight,
        uint64_t colors, size_t count);
    void (*difference_8)(
        uint8_t *made, const uint8_t *frames, const uint8_t *others, uint8_t weight, uint64_t colors,
        size_t count);
    void (*difference_16)(
        uint16_t *made, const uint16_t *frames, const uint16_t *others, uint16_t weight,
        uint64_t colors, size_t count);
    void (*exclusion_8)(
        uint8_t *made, const uint8_t *frames, const uint8_t *others, uint8_t weight, uint64_t colors,
        size_t count);
    void (*exclusion_16)(
        uint16_t *made, const uint16_t *frames, const uint16_t *others, uint16_t weight,
        uint64_t colors, size_t count);
    /// Sums up to the greatest sample, differences down to 0, and means, halves rounded up.
    void (*add_8)(
        uint8_t *made, const uint8_t *frames, const uint8_t *others, uint8_t weight, uint64_t colors,
        size_t count);
    void (*add_16)(
        uint16_t *made, const uint16_t *frames, const uint16_t *others, uint16_t weight,
        uint64_t colors, size_t count);
    void (*subtract_8)(
        uint8_t *made, const uint8_t *frames, const uint8_t *others, uint8_t weight, uint64_t colors,
        size_t count);
    void (*subtract_16)(
        uint16_t *made, const uint16_t *frames, const uint16_t *others, uint16_t weight,
        uint64_t colors, size_t count);
    void (*average_8)(
        uint8_t *made, const uint8_t *frames, const uint8_t *others, uint8_t weight, uint64_t colors,
        size_t count);
    void (*average_16)(
        uint16_t *made, const uint16_t *frames, const uint16_t *others, uint16_t weight,
        uint64_t colors, size_t count);
    /// Quotients times the greatest sample, rounded, halves up, and at most that; 0 where the other is 0.
    void (*divide_8)(
        uint8_t *made, const uint8_t *frames, const uint8_t *others, uint64_t colors, size_t count);
    void (*divide_16)(
        uint16_t *made, const uint16_t *frames, const uint16_t *others, uint64_t colors, size_t count);
    /// Returns whether the fourth samples of all of `count` pixels are the greatest.
    int (*opaque_8)(const uint8_t *pixels, size_t count);
    int (*opaque_16)(const uint16_t *pixels, size_t count);

    // MARK: Alpha, of `count` pixels of four samples

    /// Colors times alpha in 16 bits, halves rounded up; a sample of 8 bits counts as 257 times as much.
    void (*multiply_alpha_8)(uint16_t *made, const uint8_t *pixels, size_t count);
    void (*multiply_alpha_16)(uint16_t *made, const uint16_t *pixels, size_t count);
    /// Such colors divided by alpha, those above it as if they were equal to it; 0 where alpha is 0.
    void (*divide_alpha_8)(uint8_t *made, const uint16_t *pixels, size_t count);
    void (*divide_alpha_16)(uint16_t *made, const uint16_t *pixels, size_t count);
    /// Colors times alpha, halves rounded up.
    void (*premultiply_8)(uint8_t *made, const uint8_t *pixels, size_t count);
    /// Colors divided by alpha, rounded down, at most the greatest sample; as they are where alpha is 0.
    void (*unpremultiply_8)(uint8_t *made, const uint8_t *pixels, size_t count);
    void (*unpremultiply_16)(uint16_t *made, const uint16_t *pixels, size_t count);

    // MARK: Pixels of so many bytes in the opposite order.

    void (*reverse_1)(uint8_t *made, const uint8_t *pixels, size_t count);
    void (*reverse_2)(uint16_t *made, const uint16_t *pixels, size_t count);
    void (*reverse_4)(uint32_t *made, const uint32_t *pixels, size_t count);
    void (*reverse_8)(uint64_t *made, const uint64_t *pixels, size_t count);
    /// Makes columns of rows: the pixel in column x and row y is `pixels[x · stride + y]`. Strides are in pixels, and
    /// may be below 0.
    void (*turn_4)(
        uint32_t *made, ptrdiff_t made_stride, const uint32_t *pixels, ptrdiff_t stride, size_t columns, size_t rows);
    void (*turn_8)(
        uint64_t *made, ptrdiff_t made_stride, const uint64_t *pixels, ptrdiff_t stride, size_t columns, size_t rows);

    // MARK: Tables

    /// Looks each of four samples up in its own of the `tables` of 256, whose entries hold the result in the sample's
    /// bits and zeros around. `made` may be `pixels`.
    void (*look_up_8)(uint8_t *made, const uint8_t *pixels, const uint32_t *tables, size_t count);
} CKernelRows;

/// The operations for the processor's instructions: 0 are the best, higher numbers those of older processors, to
/// compare with; null beyond the last.
const CKernelRows *_Nullable ckernel_rows(size_t number);

#pragma clang assume_nonnull end
