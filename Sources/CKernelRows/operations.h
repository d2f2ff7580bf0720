// All operations for the instructions that TARGET names, and their table; included once for each.
#include "alphas.h"
#include "bilateral.h"
#include "blends.h"
#include "boxes.h"
#include "edges.h"
#include "medians.h"
#include "resampling.h"
#include "sums.h"
#include "tables.h"
#include "turns.h"
#include "weighted.h"

static const CKernelRows LEVEL(table) = {
    LEVEL_NAME,
    LEVEL(sum_rows_8),
    LEVEL(sum_rows_8_wide),
    LEVEL(sum_rows_16),
    LEVEL(halve_16),
    LEVEL(halve_32),
    LEVEL(sum_row_8),
    LEVEL(sum_row_8_wide),
    LEVEL(sum_row_16),
    LEVEL(weigh_rows_8),
    LEVEL(weigh_rows_16),
    LEVEL(weigh_row_8),
    LEVEL(weigh_row_16),
    LEVEL(weigh_row_gray_8),
    LEVEL(weigh_row_gray_16),
    LEVEL(slide_8),
    LEVEL(slide_16),
    LEVEL(row_mean_8),
    LEVEL(row_mean_16),
    LEVEL(row_mean_16_wide),
    LEVEL(luma_8),
    LEVEL(luma_16),
    LEVEL(gradient_8),
    LEVEL(gradient_16),
    LEVEL(spread_8),
    LEVEL(spread_16),
    LEVEL(add_channels_8),
    LEVEL(add_channels_16),
    LEVEL(median_3_8),
    LEVEL(median_3_16),
    LEVEL(sort_5_8),
    LEVEL(sort_5_16),
    LEVEL(median_5_8),
    LEVEL(median_5_16),
    LEVEL(median_8),
    LEVEL(median_16),
    LEVEL(bilateral_8),
    LEVEL(bilateral_16),
    LEVEL(bilateral_gray_8),
    LEVEL(bilateral_gray_16),
    LEVEL(lay_8),
    LEVEL(lay_16),
    LEVEL(multiply_8),
    LEVEL(multiply_16),
    LEVEL(screen_8),
    LEVEL(screen_16),
    LEVEL(opaque_8),
    LEVEL(opaque_16),
    LEVEL(multiply_alpha_8),
    LEVEL(multiply_alpha_16),
    LEVEL(divide_alpha_8),
    LEVEL(divide_alpha_16),
    LEVEL(premultiply_8),
    LEVEL(unpremultiply_8),
    LEVEL(unpremultiply_16),
    LEVEL(reverse_1),
    LEVEL(reverse_2),
    LEVEL(reverse_4),
    LEVEL(reverse_8),
    LEVEL(look_up_8),
};
