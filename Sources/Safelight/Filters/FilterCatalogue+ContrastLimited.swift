internal import SafelightKernels

extension FilterCatalogue {
  static let clahe = Entry(
    description: FilterDescription(
      name: "clahe",
      summary: "equalizes by the surroundings, with a limit to contrast (CLAHE)",
      discussion: """
        The bytes of cv2.createCLAHE(clip, (columns, rows)), 8 and 16 bits, on every device. Alpha stays.

        A grid of tiles lies over the picture. Where it does not divide width and height, both are lengthened to the next
        multiple (by columns and by rows where theirs was one) with the picture's own pixels, reflected without its edge.
        With n the pixels of a tile, h(i) those of value i, entries 256 or 65536, maximum one less; fl() rounds to a
        32-bit float, nearest() to a whole number, halves to even:

            greatest = max(1, floor(clip * n / entries)), or none where clip is 0
            excess   = the sum of h(i) - greatest, where it is positive
            h'(i)    = min(h(i), greatest) + floor(excess / entries) + e(i)
            rest     = excess mod entries, stride = floor(entries / rest)
            e(i)     = 1 where i mod stride = 0 and i / stride < rest, else 0
            table(i) = nearest(fl(fl(h'(0) + ... + h'(i)) * fl(maximum / fl(n))))

        A sample is looked up in the tables of the four tiles around it, at the edges of two or one; with wx = 1 - vx
        and wy = 1 - vy the weights of the left and upper ones, rounded like the rest:

            u   = fl(fl(x * fl(1 / fl(width of a tile))) - 0.5), vx = fl(u - floor(u)); vy likewise
            out = nearest(fl(fl(fl(fl(t00 * wx) + fl(t10 * vx)) * wy) + fl(fl(fl(t01 * wx) + fl(t11 * vx)) * vy)))

        With channels=luma the luma Y = (19595*R + 38470*G + 7471*B + 32768) >> 16 of BT.601 is treated as a gray picture
        is and the chroma kept: d = out(Y) - Y, and R, G, B become clamp(v + d, 0, maximum).

        Pictures of 16 bits take 64 tiles in all.
        """,
      parameters: [
        KernelParameter(
          "clip", "how many times the mean a value may count in a tile, 0 for no limit",
          .number(range: ImageContrastLimitedEqualization.clipLimits, default: 40)),
        KernelParameter(
          "columns", "tiles side by side", .integer(range: ImageContrastLimitedEqualization.gridRange, default: 8)),
        KernelParameter(
          "rows", "tiles one below the other", .integer(range: ImageContrastLimitedEqualization.gridRange, default: 8)),
        KernelParameter(
          "channels", "what is equalized",
          .choice(
            [
              ParameterChoice("each", "red, green and blue, each by its own histograms"),
              ParameterChoice("luma", "the luma; colors keep their chroma"),
            ], default: "each")),
      ]),
    // Few tiles: of 16 bits each has 65536 entries a channel.
    examples: [
      "clahe=columns=2:rows=2", "clahe=clip=0:columns=3:rows=1", "clahe=clip=2.5:columns=4:rows=3:channels=luma",
      "clahe=clip=0.5:columns=1:rows=1",
    ],
    make: { call, device, form in
      let kernel = try ImageContrastLimitedEqualization(
        device: device, columns: call.integer("columns"), rows: call.integer("rows"), clipLimit: call.number("clip"),
        channels: call.choice("channels") == "luma" ? .luma : .each)
      return ContrastLimitedFilter(kernel, form: form)
    })
}
