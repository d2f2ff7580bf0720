import Safelight
import SafelightImage
import Testing

@Suite struct HistogramTimelineTests {
  private func color(_ image: Image, x: Int, y: Int) -> DrawingColor {
    DrawingColor(
      UInt8(image[x: x, y: y, sample: 0]), UInt8(image[x: x, y: y, sample: 1]), UInt8(image[x: x, y: y, sample: 2]))
  }

  /// Four frames of one grey each, from black to white, before; all white after.
  private func ramp() -> HistogramTimeline {
    var timeline = HistogramTimeline(total: 4, titles: ["before", "after"])
    for (place, value) in [0, 85, 170, 255].enumerated().reversed() {
      timeline.add([HistogramSeries(.gray, counts: counts([value: 10]))], maximum: 255, at: place, panel: 0)
      timeline.add([HistogramSeries(.gray, counts: counts([255: 10]))], maximum: 255, at: place, panel: 1)
    }
    return timeline
  }

  @Test func framesGoFromLeftToRightAndValuesUpwards() throws {
    let image = try ramp().image()
    #expect(image.size == Size(1220, 2 * (68 + 138 + 48) + 76))
    let full = HeatShades.color(HeatShades.count - 1, of: .gray)
    for (frame, value) in [0, 85, 170, 255].enumerated() {
      for row in 0..<128 {
        let x = 148 + frame * 256 + 128
        let y = 68 + 127 - row
        #expect(color(image, x: x, y: y) == (row == value / 2 ? full : .plot), "frame \(frame), row \(row)")
        // The second panel lies below the first's strip and axis.
        #expect(color(image, x: x, y: y + 68 + 138 + 48) == (row == 127 ? full : .plot))
      }
    }
  }

  @Test func figuresStandOnTheMap() throws {
    let svg = try ramp().svg()
    for text in ["before", "after", "gray", "255", "0", "frame 1", "4", "100 % or more", "0.1"] {
      #expect(svg.contains(">\(text)</text>"), "\(text)")
    }
    #expect(svg.contains("in a row of 2 values</text>"))
    #expect(svg.components(of: "data:image/png;base64,") == 2)
  }

  @Test func longSequencesShareColumns() throws {
    var timeline = HistogramTimeline(total: 5000, titles: ["film"])
    for place in 0..<5000 {
      timeline.add([HistogramSeries(.red, counts: counts([place % 2 * 100: 1]))], maximum: 65535, at: place, panel: 0)
    }
    let shares = timeline.panels[0][0].shares(columns: timeline.columns)
    #expect(shares.count == 1024 * 128)
    // Each column has dark and bright frames, which are all of it.
    for column in 0..<1024 {
      let cells = shares[column * 128..<(column + 1) * 128]
      #expect(cells.count { $0 > 0 } == 2 && HistogramScale.whole - cells.reduce(0, +) <= 1)
    }
    let svg = try timeline.svg()
    #expect(svg.contains("in a row of 512 values; a column is 4 to 5 frames"))
    for text in ["65535", "frame 1", "2,501", "5,000"] { #expect(svg.contains(">\(text)</text>"), "\(text)") }
  }

  /// A film, of which nobody knows how many frames come: as the sequence of so many while each has a column, then two and two of them.
  @Test func lengthsNeedNotBeKnown() throws {
    func timeline(_ total: Int?, _ frames: Int) -> HistogramTimeline {
      var timeline = HistogramTimeline(total: total, titles: ["film"])
      for place in 0..<frames {
        let series = HistogramSeries(.red, counts: counts([place % 255: 1, 255: 3]))
        timeline.add([series], maximum: 255, at: place, panel: 0)
      }
      return timeline
    }
    #expect(try timeline(nil, 1000).image() == timeline(1000, 1000).image())
    #expect(try timeline(nil, 4096).svg() == timeline(4096, 4096).svg())
    let long = timeline(nil, 1025)
    #expect(long.total == 1025 && long.columns == 513)
    #expect(long.panels[0][0].counts.reduce(0, +) == 4 * 1025)
    #expect(long.panels[0][0].counts.prefix(128).reduce(0, +) == 8)
    #expect(try long.svg().contains("a column is 1 to 2 frames"))
  }
}

extension String {
  /// How often `part` occurs.
  fileprivate func components(of part: String) -> Int {
    split(separator: part, omittingEmptySubsequences: false).count - 1
  }
}
