import TestSupport
import Testing

/// Chains whose pictures have another size behind them.
@Suite struct ChainSizeTests {
  private let folder = TemporaryFolder()

  init() throws {
    try folder.shell(
      "ffmpeg -v error -f lavfi -i testsrc2=size=64x48:rate=25 -frames:v 3 -pix_fmt yuv420p -c:v libx264 in.mp4")
  }

  /// ffmpeg's own crop is the judge of what comes out of PNG files.
  @Test(arguments: ["cpu", "software"]) func picturesAndFilmsHaveTheSizeOfTheResult(_ device: String) throws {
    try folder.shell(
      """
      mkdir in their; ffmpeg -v error -i in.mp4 in/%d.png; ffmpeg -v error -i in/%d.png -vf crop=20:12:9:7 their/%d.png
      safelight process in -o out/ --filter crop=width=20:height=12:x=9:y=7 --device \(device)
      safelight compare their out --alpha-opaque
      safelight process in.mp4 -o out.mp4 --filter crop=width=20:height=12:x=9:y=7,median --device \(device)
      safelight process in -o made.mkv --lossless --filter crop=x=1,gamma=1.2 --device \(device)
      """)
    for (name, size) in [("out.mp4", "20,12,3"), ("made.mkv", "63,48,3")] {
      try folder.shell(
        "ffprobe -v error -count_packets -show_entries stream=width,height,nb_read_packets -of csv=p=0 \(name)"
      ).prints(only: "\(size)\n")
    }
  }

  /// A smaller film, and one in which a second picture lies, which stays where it was put.
  @Test(arguments: ["cpu", "software"]) func filmsAreScaledAndMarked(_ device: String) throws {
    try folder.shell(
      """
      ffmpeg -v error -f lavfi -i color=red:size=8x6,format=rgb24 -frames:v 1 mark.png
      safelight process in.mp4 -o out.mp4 --filter resize=width=32,over=image=mark.png:x=20:y=10 --device \(device)
      safelight process in.mp4 -o out/ --filter resize=width=32,over=image=mark.png:x=20:y=10 --device \(device)
      safelight process out -o marked/ --filter crop=width=8:height=6:x=20:y=10 --device \(device)
      cp mark.png marked/in.000002.png && cp mark.png marked/in.000003.png
      safelight compare marked/in.000001.png mark.png
      """)
    try folder.shell(
      "ffprobe -v error -count_packets -show_entries stream=width,height,nb_read_packets -of csv=p=0 out.mp4"
    ).prints(only: "32,24,3\n")
  }

  @Test(arguments: [
    ("resize=width=65536:height=65536", 65, "resize of 64×48 to 65536×65536: a result has at most"),
    ("resize=width=1:height=1,resize=width=65536:height=1", 0, "1 of 1 frame"),
    ("resize=width=1000000", 64, "width must be a whole number from 0 to 65536"),
    ("resize", 64, "it has neither a width nor a height"), ("resize=mode=area", 64, "neither a width nor a height"),
    ("resize=width=8:percent=50", 64, "it has a width or a height too"),
    ("resize=width=8:fit=cover", 64, "it needs both a width and a height"),
    ("resize=width=8:height=8:multiple=2", 64, "both sides are given"),
    ("resize=width=8:color=red", 64, "nothing lies around the picture"),
    ("resize=width=8:height=8:fit=contain:color=rde", 64, "'rde' is no color"),
    ("resize=width=8:height=8:fit=contain:color=#ff000080", 65, "the picture has no alpha"),
    ("resize=height=50000:mode=bicubic", 65, "resize of 64×48 to 66667×50000: a result has at most"),
    ("resize=width=60000:height=8:fit=cover", 65, "crop the picture before it, or write fit=contain"),
    ("premultiply,resize=width=8:light=linear", 65, "straight alpha"),
    ("resize=width=65536:height=1,resize=width=190:height=1:mode=lanczos", 65, "the first with mode=area"),
    ("resize=width=8:light=liner", 64, "linear"), ("srgb-to-linear,resize=width=8:light=linear", 65, "transfer sRGB"),
    ("resize=width=8:height=8:mode=lanczso", 64, "lanczos"),
    ("over=image=mark.png:x=64", 65, "its picture of 8×6 at (64, 0) lies wholly outside the frame of 64×48"),
    ("over=image=deep.png", 65, "its picture has 16 bits a sample, and the frame has 8"),
    ("over=image=none.png", 66, "none.png"), ("over=image=in.mp4", 65, "in.mp4"), ("over", 64, "image"),
    ("premultiply,over=image=mark.png", 65, "straight alpha"),
    ("over=image=mark.png:with=mark.png", 64, "it has a picture of its own, and with=mark.png"),
    ("over=with=mark.png:x=64", 65, "filter 'over' with mark.png: its picture of 8×6 at (64, 0) lies wholly outside"),
    ("over=with=deep.png", 65, "its picture has 16 bits a sample, and the frame has 8"),
    ("over=with=none.png", 66, "none.png"), ("over=with=mark.png:fit=contian", 64, "over=fit=contain"),
    ("add=with=mark.png", 65, "write fit=contain, fit=cover or fit=stretch"),
    ("add=with=mark.png:color=red", 64, "nothing lies around the picture"),
    ("add=with=mark.png:fit=contain:color=rde", 64, "'rde' is no color"),
    ("blend=with=mark.png:fit=contain:color=#ff000080", 0, "1 of 1 frame"),
    ("side-by-side", 64, "parameter 'with' is missing"), ("montage=columns=2", 64, "parameter 'with' is missing"),
    ("side-by-side=with=mark.png", 65, "its picture is of 8×6, and the frame of 64×48"),
    ("montage=with=mark.png:fit=cover:with=clear.png", 65, "its picture has alpha, and the frame has none"),
    ("montage=with=mark.png:fit=contain:gap=2:color=rde", 64, "'rde' is no color"),
    ("resize=width=40000:height=10,side-by-side=with=mark.png:fit=stretch", 65, "at most 65536 columns and rows"),
    ("crossfade=with=mark.png:fit=cover:length=2", 65, "it mixes frames up to position 2, and there are 1"),
    ("crossfade=with=mark.png:from=0", 64, "from must be a whole number from 1"),
    ("crossfade=with=clear.png:fit=cover:length=1", 65, "its picture has alpha, and the frame has none"),
    ("hstack=with=mark.png", 64, "side-by-side=with=FILE.png"),
    ("pad", 64, "it adds no column and no row"), ("pad=left=1:color=#F80", 0, "1 of 1 frame"),
    ("pad=left=1:color=blu", 64, "'blu' is no color"), ("pad=left=1:color=#f8", 64, "'#f8' is no color"),
    ("pad=left=1:color=#ff000080", 65, "the picture has no alpha, so it cannot hold that color"),
    ("pad=left=1:color=red:edge=wrap", 64, "the added pixels are the picture's, not of a color"),
    ("rotate=4O", 64, "degrees"), ("rotate=45:edge=mirror:color=red", 64, "not of a color"),
    ("rotate=45:color=#ff000080", 65, "no alpha"), ("rotate=45:size=kept", 64, "keep"),
    ("affine", 64, "it needs six numbers"), ("affine='1 0 0 0 1'", 64, "it needs six numbers"),
    ("affine='1 0 nan 0 1 0'", 64, "it needs six numbers"), ("affine='1 2 0 2 4 0'", 64, "the matrix is singular"),
    ("affine='1 0 5000000 0 1 0'", 65, "more than 4194304 pixels away"),
    ("affine='1 0 0 0 1 0':width=66000", 64, "from 0 to 65536"),
    ("affine='1 0 0 0 1 0':width=40000:height=40000", 65, "at most 65536 columns and rows"),
    ("perspective", 64, "it has no points"), ("perspective=from='0/0 9/0 9/9'", 64, "it needs four points"),
    ("perspective=from='0/0 9/0 9/x 0/9'", 64, "it needs four points"),
    ("perspective=from='0/0 9/9 9/0 0/9'", 64, "its sides cross"),
    ("perspective=to='0/0 9/0 9/9 4.5/4.5'", 64, "on a line"),
    ("undistort=k1=0.1", 64, "it has no focal length"),
    ("undistort=k3=1000:fx=1", 65, "bend pictures of 64×48 too far"),
    ("remap", 64, "map"), ("remap=map=none.png", 66, "none.png"), ("remap=map=mark.png", 65, "a picture of 8 bits"),
    ("remap=map=deep.png:steps=1025", 64, "from 0 to 1024"), ("remap=map=deep.png", 0, "1 of 1 frame"),
    ("rotate=45:edge=wrap", 64, "mirror"), ("crop=percent=50:width=9", 64, "a width or a height too"),
    ("crop=x=-1", 65, "say what lies outside"), ("crop=x=-1:color=red", 64, "nothing beyond the edges has a color"),
    ("crop=x=-70000:pad=clamp", 65, "it adds more than 65536 columns"), ("crop=x=-1:pad=wrap", 0, "1 of 1 frame"),
    ("rectangle", 64, "it has no region"), ("rectangle=8x8", 64, "'8x8' is no rectangle"),
    ("rectangle=0x8+1+1", 64, "a rectangle of 0×8 has no pixels"), ("rectangle=8x8+63+47", 0, "1 of 1 frame"),
    ("rectangle=8x8+64+0", 65, "its region of 8×8 at (64, 0) lies wholly outside the picture of 64×48"),
    ("rectangle=8x8-8+0", 65, "wholly outside"), ("rectangle=8x8+200000+0", 64, "reach beyond 131072"),
    ("rectangle=8x8+1+1:color=blu", 64, "'blu' is no color"),
    ("rectangle=8x8+1+1:color=''", 64, "'' is no color"), ("text=a:color=''", 64, "'' is no color"),
    ("rectangle=8x8+1+1:thickness=0", 64, "a whole number from 1 to 131072, or fill"),
    ("rectangle=8x8+1+1:thickness=full", 64, "or fill"), ("premultiply,rectangle=8x8+1+1", 65, "straight alpha"),
    ("border=0", 64, "from 1 to 131072"),
    ("border=1:color=#12345", 64, "'#12345' is no color"), ("line=from=1+1", 64, "it has no end"),
    ("line=from=1+1:to=9", 64, "'9' is no column and row"), ("line=from=1+1:to=9+9:thickness=0", 64, "1 to 4096"),
    ("line=from=-9-9:to=70-3", 65, "the line from -9-9 to 70-3 lies wholly outside the picture of 64×48"),
    ("text", 64, "it has no text"), ("text='{nam}'", 64, "'{nam}' in filter 'text': there is no such field"),
    ("text='{nam}'", 64, "write {name}, {frame}, {time} or {timecode}; {{ is a brace"),
    ("text='{frame'", 64, "a brace is not closed"), ("text='{name:3}'", 64, "only frame takes digits"),
    ("text='{frame:0}'", 64, "only frame takes digits, 1 to 18"), ("text=a:size=0", 64, "from 1 to 2048"),
    ("text=a:color=blu", 64, "text=color=blu: 'blu' is no color"), ("text=a:shadow=blu", 64, "text=shadow=blu"),
    ("text=a:start='01:00:00:00'", 64, "the text has no {timecode}"), ("text=a:rate=25", 64, "neither {timecode}"),
    ("text='{timecode}':start='01:00:00;00'", 64, "a semicolon drops numbers, which is for rates of 29.97 and 59.94"),
    ("text='{timecode}':start='00:01:00;00':rate=29.97", 64, "or one that is dropped"),
    ("text='{timecode}':start=1h", 64, "it is no timecode at 24 frames a second"),
    ("text=a:font=none.ttf", 66, "none.ttf"), ("text=a:font=in.png", 65, "in.png: it is no TrueType or OpenType font"),
    ("text=a:y=60", 65, "its lines lie wholly above or below the picture of 64×48"),
    ("premultiply,text=a", 65, "straight alpha"), ("text=a:size=2048", 0, "1 of 1 frame"),
    ("text='𝄞☃':size=9", 0, "has no '𝄞' (U+1D11E): the font's box stands for what it lacks"),
    ("redact=pixelate", 64, "it has no region"), ("redact=smear:region=8x8+1+1", 64, "pixelate, blur or black"),
    ("redact=blur:region=8x8+1+1:block=4", 64, "it is for the method pixelate"),
    ("redact=black:region=8x8+1+1:sigma=2", 64, "it is for the method blur"),
    ("redact=pixelate:region=8x8+0+48", 65, "wholly outside"),
    ("crop=width=8:x=57:gravity=east", 65, "gravity=east: it reaches beyond the picture of 64×48"),
  ])
  func whatDoesNotFitIsRefused(_ filter: String, _ code: Int32, _ text: String) throws {
    try folder.shell(
      """
      ffmpeg -v error -f lavfi -i color=red:size=8x6,format=rgb24 -frames:v 1 mark.png
      ffmpeg -v error -f lavfi -i color=red:size=8x6,format=rgb48 -frames:v 1 deep.png
      ffmpeg -v error -i in.mp4 -frames:v 1 in.png
      ffmpeg -v error -f lavfi -i color=red@0.5:size=8x6,format=rgba -frames:v 1 clear.png
      """)
    try folder.shell("safelight process in.png -o out/ --filter \"\(filter)\" --device cpu", code: code).says(text)
  }

  @Test(arguments: [
    ("crop=width=65", "crop=width=65:height=0:x=0:y=0:gravity=northwest: it reaches beyond the picture of 64×48"),
    ("crop=x=40,crop=width=30", "beyond the picture of 24×48"), ("crop=y=48", "beyond the picture"),
  ])
  func rectanglesOutsideAreRefused(_ filter: String, _ text: String) throws {
    try folder.shell("safelight process in.mp4 -o out/ --filter \(filter) --device cpu", code: 65).says(text)
    #expect(try folder.allNames("out").isEmpty)
  }
}
