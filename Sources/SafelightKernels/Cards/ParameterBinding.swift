internal import SafelightImage

/// A parameter of a kernel and the property that holds it.
public struct ParameterBinding<Kernel: ImageKernel>: Sendable {
  /// The parameter, whose default is the property's value after `init()`.
  public let parameter: KernelParameter
  /// Returns a kernel's value.
  package let value: @Sendable (Kernel) -> ParameterValue
  /// Sets a kernel's value, which ``parameter`` allows.
  package let set: @Sendable (inout Kernel, ParameterValue) -> Void

  private init(
    _ name: String, _ summary: String, kind: (ParameterValue) -> KernelParameter.Kind,
    value: @escaping @Sendable (Kernel) -> ParameterValue,
    set: @escaping @Sendable (inout Kernel, ParameterValue) -> Void
  ) {
    parameter = KernelParameter(name, summary, kind(value(Kernel())))
    self.value = value
    self.set = set
  }

  /// A real number in `range`.
  public static func number(
    _ name: String, _ summary: String, _ property: any WritableKeyPath<Kernel, Double> & Sendable,
    in range: ClosedRange<Double>
  ) -> Self {
    .number(name, summary, in: range, get: { $0[keyPath: property] }, set: { $0[keyPath: property] = $1 })
  }

  /// A real number in `range` that is not held by one property.
  static func number(
    _ name: String, _ summary: String, in range: ClosedRange<Double>, get: @escaping @Sendable (Kernel) -> Double,
    set: @escaping @Sendable (inout Kernel, Double) -> Void
  ) -> Self {
    Self(
      name, summary, kind: { .number(range: range, default: $0.number) }, value: { .number(get($0)) },
      set: { set(&$0, $1.number) })
  }

  /// A whole number in `range`.
  public static func integer(
    _ name: String, _ summary: String, _ property: any WritableKeyPath<Kernel, Int> & Sendable,
    in range: ClosedRange<Int>
  ) -> Self {
    Self(
      name, summary, kind: { .integer(range: range, default: Int($0.number)) },
      value: { .integer($0[keyPath: property]) }, set: { $0[keyPath: property] = Int($1.number) })
  }

  /// A text that the kernel parses; `form` describes it in a phrase with an example. A path is a ``file``.
  public static func text(
    _ name: String, _ summary: String, _ property: any WritableKeyPath<Kernel, String> & Sendable, form: String
  ) -> Self {
    Self(
      name, summary, kind: { .text(form: form, default: $0.word) }, value: { .text($0[keyPath: property]) },
      set: { $0[keyPath: property] = $1.word })
  }

  /// The path of a file, a folder or a sequence of pictures, which the kernel reads when it makes its stage; `form`
  /// names its kind, `a .cube file`.
  public static func file(
    _ name: String, _ summary: String, _ property: any WritableKeyPath<Kernel, String> & Sendable, form: String,
    isRequired: Bool = true
  ) -> Self {
    Self(
      name, summary, kind: { _ in .file(form: form, isRequired: isRequired) }, value: { .text($0[keyPath: property]) },
      set: { $0[keyPath: property] = $1.word })
  }

  /// One of several values with words.
  public static func choice<Value: ParameterWord>(
    _ name: String, _ summary: String, _ property: any WritableKeyPath<Kernel, Value> & Sendable
  ) -> Self {
    Self(
      name, summary, kind: { .choice(Value.words.map { ParameterChoice($0.word, $0.summary) }, default: $0.word) },
      value: { kernel in
        let value = kernel[keyPath: property]
        return .choice(Value.words.first { $0.value == value }?.word ?? "")
      },
      set: { kernel, word in
        guard let value = Value.words.first(where: { $0.word == word.word })?.value else { return }
        kernel[keyPath: property] = value
      })
  }
}

/// A value that a parameter names by a word.
public protocol ParameterWord: Equatable, Sendable {
  /// The values, each with its word and a line on its effect.
  static var words: [(value: Self, word: String, summary: String)] { get }
}

extension ParameterValue {
  /// The number; 0 for words.
  fileprivate var number: Double {
    switch self {
    case .number(let number): number
    case .integer(let number): Double(number)
    case .series(let series): series.value(at: 0).number
    case .choice, .text: 0
    }
  }

  /// The word; empty for numbers.
  fileprivate var word: String {
    switch self {
    case .choice(let word), .text(let word): word
    case .number, .integer, .series: ""
    }
  }
}
