import SafelightGolden
import SafelightImage
import Testing

@Suite struct ToleranceTests {
  @Test(arguments: [
    ("exact", "exact"), ("max<=0", "exact"), (" max <= 3&&over( 1 )<=0.1 % ", "max<=3 && over(1)<=0.1%"),
    ("max.alpha<=2 && mean<=0.5 && bias<=1e-2 && rmse<=1.5", "max.alpha<=2 && mean<=0.5 && bias<=0.01 && rmse<=1.5"),
    ("psnr>=40 && ssim>=0.99 && msssim>=0.98", "psnr>=40 && ssim>=0.99 && msssim>=0.98"),
    ("flip.mean<=0.02 && flip.p99<=0.05 && flip.max<=0.2", "flip<=0.02 && flip.p99<=0.05 && flip.max<=0.2"),
    ("over(40)<=0px && window(8,1)<=10% && line(1)<=5%", "over(40)<=0px && window(8,1)<=10% && line(1)<=5%"),
  ])
  func isReadAndWritten(text: String, canonical: String) throws {
    let tolerance = try Tolerance(text)
    #expect(tolerance.description == canonical)
    #expect(try Tolerance(canonical) == tolerance)
  }

  /// The character that is pointed at, from 0, and what is said of it.
  @Test(arguments: [
    ("", 0, "expected a metric"), ("max<3", 3, "expected <="), ("psnr<=40", 4, "expected >="),
    ("maxx<=3", 0, "did you mean max?"), ("max<=3 && ssmi>=0.9", 10, "did you mean ssim?"),
    ("max<=3 & over(1)<=0.1%", 7, "expected && or the end"), ("max<=3 &&", 9, "expected a metric"),
    ("over(1)<=5", 10, "% or px"), ("max<=3%", 6, "no unit"), ("window(0,1)<=5%", 7, "from 1 to 65535"),
    ("window(8)<=5%", 8, "expected window(n,k)"), ("over(1<=5%", 6, "expected )"),
    ("max<=three", 5, "expected a number"),
    ("max<=nan", 5, "expected a number"), ("max<=-1", 5, "never below 0"), ("ssim>=2", 6, "never above 1"),
    ("over(0)<=100%", 9, "every picture passes"), ("flip<=1", 6, "every picture passes"),
    ("ssim>=-1", 6, "every picture passes"), ("max<=70000", 5, "every picture passes"),
    ("max\t<= 3 x", 9, "expected && or the end"),
  ])
  func aTypoIsPointedAt(text: String, place: Int, why: String) throws {
    let error = try #require(throws: SafelightError.self) { try Tolerance(text) }
    #expect(error.kind == .usage)
    let lines = error.description.split(separator: "\n", omittingEmptySubsequences: false)
    #expect(lines.count == 3)
    #expect(lines[0].contains(why))
    #expect(lines[2] == String(repeating: " ", count: 2 + place) + "^")
  }
}
