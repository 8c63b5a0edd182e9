const SEPARATORS = /; | \| | ?[\u23CE\u21B5\u00B6] ?|\t/
const MIN_ROWS = 2

const GO_ROUTINE = /(?:[ \t;|]{1,8}|(?<=\S))(?=goroutine \d{1,9} [^\]]{0,100}\[[^\]]{1,100}\]:)/g
const GO_HEAD = /^(goroutine \d{1,9} [^\]]{0,100}\[[^\]]{1,100}\]:)[ \t;|]{0,8}/
const GO_PLACE =
  /[ \t;|]{1,8}((?:[/\\~_]|[A-Za-z]:[\\/]|[\w.-]{1,100}\/)[^\s:]{1,500}\.(?:go|s):\d{1,9}(?: \+0x[0-9a-f]{1,5})?)[ \t;|]{0,8}/
const RUST_ROW = /[ \t;|]{1,24}(?=\d{1,4}: {1,8}(?:0x[0-9a-f]{1,16} - )?[A-Za-z_<])/
const RUST_PLACE = /[ \t;|]{1,24}(?=at \S{1,600}:\d{1,9}(?::\d{1,9})?$)/
const RUST_HEAD = /^(.{0,2000}?panicked at \S{1,600}:\d{1,9}:\d{1,9}:)[ \t;|]{1,8}/
const RUST_STACK = 'stack backtrace:'
const RUBY_FROM = /[ \t;|]{0,8}(?=from [^\s"'`()]{1,500}:\d{1,9}:in [`'])/g
const RUBY_PLACE = /[ \t](?<!from[ \t])(?=[^\s"'`():]{1,500}:\d{1,9}:in [`'])/g

const indented = (piece: string, index: number): string =>
  index > 0 && /^(?:at|from) /.test(piece.trimStart()) ? `\t${piece.trimStart()}` : piece

/**
 * A trace whose line breaks became something else than spaces: signs, or tabs; null when no two rows stand between
 * such.
 */
export function splitAtSigns(line: string, isRow: (piece: string) => boolean): string[] | null {
  if (!SEPARATORS.test(line)) return null
  for (const sign of ['; ', ' | ', '\t', '\u23CE', '\u21B5', '\u00B6']) {
    if (!line.includes(sign)) continue
    const pieces = line.split(sign).filter(piece => piece.trim() !== '')
    if (pieces.length > MIN_ROWS && pieces.slice(1).filter(isRow).length >= MIN_ROWS) return pieces.map(indented)
  }
  return null
}

/** The stacks of a Go program in one line: a row is a function and its place. */
export function goLines(line: string): string[] | null {
  const [head = '', ...routines] = line.split(GO_ROUTINE)
  const lines = [head.trimEnd()]
  let rows = 0
  for (const routine of routines) {
    const title = GO_HEAD.exec(routine)?.[0] ?? ''
    const pieces = routine.slice(title.length).split(new RegExp(GO_PLACE, 'g'))
    lines.push('', title.replace(/[ \t;|]{1,8}$/, ''))
    for (let at = 0; at + 1 < pieces.length; at += 2) {
      const [name = '', place = ''] = pieces.slice(at, at + 2)
      lines.push(name, `\t${place}`)
      rows++
    }
    const rest = pieces.at(-1)?.trim() ?? ''
    if (rest !== '') lines.push(rest)
  }
  return rows === 0 ? null : lines
}

/** A panic of Rust in one line: the message, then rows with numbers, each with its place. */
export function rustLines(line: string): string[] | null {
  const start = line.indexOf(RUST_STACK)
  const rows = line.slice(start + RUST_STACK.length).split(new RegExp(`${RUST_ROW.source}|[ \\t;|]{1,8}(?=note: )`))
  if (rows.length <= MIN_ROWS) return null
  const head = line.slice(0, start).replace(/[ \t;|]{1,8}$/, '')
  const [all, title = ''] = RUST_HEAD.exec(head) ?? []
  const lines = all === undefined ? [head] : [title, head.slice(all.length)]
  lines.push(RUST_STACK)
  for (const row of rows.slice(1)) {
    const [name = '', place] = row.trimEnd().split(RUST_PLACE)
    lines.push(/^\d/.test(name) ? `   ${name}` : name, ...(place === undefined ? [] : [`             ${place}`]))
  }
  return lines
}

/** What stands in front of the first place is not part of its path. */
const atPlace = (piece: string): string[] => piece.split(RUBY_PLACE)

/** A trace of Ruby in one line, newest call first. */
export function rubyLines(line: string): string[] | null {
  const pieces = line.split(RUBY_FROM)
  if (pieces[0]?.trim() === '' && pieces.length <= MIN_ROWS) return null // a row of its own line
  const rows =
    pieces.length > 1
      ? pieces.flatMap((piece, index) => (index === 0 ? atPlace(piece) : `\t${piece.trim()}`))
      : line.split(RUBY_PLACE)
  return rows.length < MIN_ROWS || (pieces.length === 1 && rows.length <= MIN_ROWS)
    ? null
    : rows.map(row => row.replace(/(?<![ \t])[ \t]+$/, '').replace(/[;|]$/, ''))
}
