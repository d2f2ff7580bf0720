internal import SafelightKernels

extension FilterCatalogue {
  static let match = Entry(
    description: FilterDescription(
      name: "match",
      summary: "gives the picture the distribution of another (histogram specification)",
      discussion: """
        A look-up table is made from the picture's histogram and that of the reference. Per channel, S(i) counts the
        pixels of the picture up to entry i, N all of them; D(j) and M those of the reference:

            table(i) = value(j), j of the entries that the reference has, with |D(j)/M - S(i)/N| least, of two the lower
            value(j) = nearest(j * maximum / (entries - 1))

        Fractions are compared crosswise in 64 bits. With an entry for every value, value(j) is j, and only values of
        the reference come out. Alpha stays; a picture matched with itself stays as it is.

        The reference is a PNG picture of any size and depth, or what safelight histogram --format json wrote, whose
        frames are summed. A gray reference serves red, green and blue alike; a gray picture needs a gray reference or
        channels=luma.

        With channels=luma the luma Y = (19595*R + 38470*G + 7471*B + 32768) >> 16 of BT.601 is matched and the chroma
        kept: d = table(Y) - Y, and R, G, B become clamp(v + d, 0, maximum).
        """,
      parameters: [
        KernelParameter(
          "reference", "the picture or histogram to match",
          .file(form: "a PNG picture or a histogram in JSON", isRequired: true)),
        KernelParameter(
          "channels", "what is matched",
          .choice(
            [
              ParameterChoice("each", "red, green and blue, each by its own histogram"),
              ParameterChoice("luma", "the luma; colors keep their chroma"),
            ], default: "each")),
      ]),
    examples: [],
    make: { call, device, form in
      try MatchFilter(
        device: device, reference: HistogramReference(reading: call.text("reference")),
        channels: call.choice("channels") == "luma" ? .luma : .each, form: form)
    })
}
