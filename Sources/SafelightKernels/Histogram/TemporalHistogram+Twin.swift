internal import SafelightGPU
internal import SafelightImage

extension TemporalHistogram {
  /// The twin of `temporal_distance.comp`.
  static func distanceTwin(entries: Int) -> ShaderTwin {
    ShaderTwin { arguments in
      let planes = arguments.grid.width / 64
      var distance: UInt32 = 0
      var samples: UInt32 = 0
      unsafe arguments.buffer(0).withWords { current in
        unsafe arguments.buffer(1).withWords { previous in
          for first in stride(from: 0, to: planes * entries, by: entries / 64) {
            var (now, before) = (UInt32(0), UInt32(0))
            for entry in first..<first + entries / 64 {
              unsafe now &+= current[entry]
              unsafe before &+= previous[entry]
            }
            distance &+= max(now, before) - min(now, before)
            samples &+= now
          }
        }
      }
      unsafe arguments.buffer(2).withWords { state in
        unsafe state[2] &+= distance
        unsafe state[3] &+= samples
      }
    }
  }

  /// The twin of `temporal_sum.comp`.
  static func sumTwin(entries: Int, length: Int) -> ShaderTwin {
    ShaderTwin { arguments in
      let parameters = arguments.words(4)
      let read = Int(parameters[0])
      unsafe arguments.buffer(3).withWords { state in
        let summed = unsafe state[read]
        let distance = unsafe UInt64(state[2]) * 65536
        let limit = unsafe UInt64(2 &* state[3]) * UInt64(parameters[1])
        let isCut = summed == 0 || distance > limit
        unsafe arguments.buffer(0).withWords { current in
          unsafe arguments.buffer(1).withWords { oldest in
            unsafe arguments.buffer(2).withWords { sum in
              for word in 0..<entries * arguments.grid.height {
                let gone = unsafe summed < length ? 0 : oldest[word]
                unsafe sum[word] = (isCut ? 0 : sum[word] &- gone) &+ current[word]
              }
            }
          }
        }
        unsafe state[1 - read] = isCut ? 1 : min(summed &+ 1, UInt32(length))
      }
    }
  }
}
