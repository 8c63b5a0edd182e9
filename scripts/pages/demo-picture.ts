// The excerpt of the demo as a picture of a terminal: SVG, light or dark as its reader's page is.

const COLUMN_PX = 7.25
const LINE_PX = 18
const MARGIN_PX = 20
/** A title stands in the first lines for those who cannot see the picture. */
const TITLE = 'A terminal: a crash of a small shop is posted, and the answer shows the frames, the code and the commit'

/** Colours of GitHub's light and dark pages. */
const STYLE = `
  text {
    font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace;
    font-size: 12px;
    white-space: pre;
  }
  .page { fill: #f6f8fa; stroke: #d1d9e0 } .mark { fill: #fff8c5 } .plain { fill: #1f2328 } .dim { fill: #59636e }
  .command { fill: #116329 } .error { fill: #cf222e; font-weight: bold } .place { fill: #0550ae; font-weight: bold }
  .strong { fill: #1f2328; font-weight: bold } .failing { fill: #7d4e00; font-weight: bold } .commit { fill: #7d4e00 }
  @media (prefers-color-scheme: dark) {
    .page { fill: #0d1117; stroke: #3d444d } .mark { fill: #3b2e0a } .plain { fill: #e6edf3 } .dim { fill: #9198a1 }
    .command { fill: #7ee787 } .error { fill: #ff7b72 } .place { fill: #79c0ff }
    .strong { fill: #f0f6fc } .failing { fill: #f2cc60 } .commit { fill: #f2cc60 }
  }
`

type Run = readonly [style: string, text: string]

/** How each kind of line is coloured, the first that fits; its groups are the runs of text. */
const LINES: ReadonlyArray<readonly [RegExp, readonly string[]]> = [
  [/^(\$ .*| {4,6}(?:curl|-H) .*)$/, ['command']],
  [/^(\w*Error: .*)$/, ['error']],
  [/^( {2}> {2})(\S+ +)(.*? {2,})(.*)$/, ['error', 'place', 'strong', 'dim']],
  [/^(=== .*)$/, ['place']],
  [/^(>>>.*)$/, ['failing']],
  [/^( *\d+ \|)(.*)$/, ['dim', 'plain']],
  [/^(Suspect commits)$/, ['strong']],
  [/^( {2}[0-9a-f]{10})(.*? {2}\S.*? {2}\S.*? {2}\S.*? {2})(.*)$/, ['commit', 'plain', 'dim']],
]

function runsOf(line: string): Run[] {
  for (const [pattern, styles] of LINES) {
    const [, ...texts] = pattern.exec(line) ?? []
    if (texts.length > 0) return texts.map((text, index): Run => [styles[index] ?? 'plain', text])
  }
  return [['dim', line]]
}

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

/** A length as SVG writes it. */
const px = (length: number): string => String(Math.round(length * 100) / 100)

function lineMarkup(line: string, index: number, width: number): string {
  const top = MARGIN_PX + index * LINE_PX
  const size = `width="${px(width - MARGIN_PX)}" height="${LINE_PX}"`
  const mark = `<rect class="mark" x="${MARGIN_PX / 2}" y="${px(top)}" ${size}/>`
  const runs = runsOf(line).map(([style, text]) => `<tspan class="${style}">${escaped(text)}</tspan>`)
  const shown = `<text xml:space="preserve" x="${MARGIN_PX}" y="${px(top + 13)}">${runs.join('')}</text>`
  return line.startsWith('>>>') ? `${mark}\n${shown}` : shown
}

/** The picture of a text that the demo printed. */
export function demoPicture(text: string): string {
  const lines = text.split('\n')
  const width = Math.ceil(Math.max(...lines.map(line => line.length)) * COLUMN_PX) + 2 * MARGIN_PX
  const height = lines.length * LINE_PX + 2 * MARGIN_PX
  const shown = lines.flatMap((line, index) => (line === '' ? [] : [lineMarkup(line, index, width)]))
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" role="img">
<title>${escaped(TITLE)}</title>
<style>${STYLE}</style>
<rect class="page" x="0.5" y="0.5" width="${width - 1}" height="${height - 1}" rx="8"/>
${shown.join('\n')}
</svg>
`
}
