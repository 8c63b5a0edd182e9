import type { CodeReader } from './code/code-reader.ts'
import type { IndexedFile } from './code/file-index.ts'

/** What a made trace is taken from. */
type RehearsalReader = Pick<CodeReader, 'files' | 'fileText' | 'definitionsIn'>

const FRAMES = 9
/** Files looked at for one frame; some define nothing. */
const TRIES = 8
/** Lies between files of one folder, and is no divisor of most numbers of files. */
const STRIDE = 7_919
const MAX_QUOTE_CHARS = 200

interface MadeFrame {
  path: string
  line: number
  name: string
  quote: string
}

/** A line inside of one of the file's definitions; null where there is none. */
function frameIn(reader: RehearsalReader, { repository, path }: IndexedFile, turn: number): MadeFrame | null {
  const definitions = reader.definitionsIn(repository, path)
  const defined = definitions[turn % Math.max(1, definitions.length)]
  const text = defined === undefined ? null : reader.fileText(repository, path)
  if (defined === undefined || text === null) return null
  const line = Math.min(defined.startLine + 1, defined.endLine)
  const quote = text.split('\n', line)[line - 1] ?? ''
  return { path, line, name: defined.name, quote: quote.trim().slice(0, MAX_QUOTE_CHARS) }
}

/**
 * A stack trace through files of the index, as a program of theirs might leave it, with which a process can practise
 * before anybody asks: what the first question opens is open then, and V8 has compiled what the first thirty or so are
 * slow without.
 *
 * @param turn - From 0; each gives another trace.
 * @returns Null where no file defines anything.
 */
export function rehearsalTrace(reader: RehearsalReader, turn: number): string | null {
  const files = reader.files()
  const frames: MadeFrame[] = []
  for (let i = 0; i < FRAMES * TRIES && frames.length < FRAMES; i++) {
    const file = files[((turn * FRAMES * TRIES + i) * STRIDE) % files.length]
    const frame = file === undefined ? null : frameIn(reader, file, turn)
    if (frame !== null) frames.push(frame)
  }
  const last = frames.at(-1)
  if (last === undefined) return null
  const rows = frames.flatMap(({ path, line, name, quote }) => [
    `  File "/app/${path}", line ${line}, in ${name}`,
    `    ${quote}`,
  ])
  return [
    'Traceback (most recent call last):',
    ...rows,
    `AttributeError: '${last.name}' has no '${frames[0]?.name ?? ''}'`,
  ].join('\n')
}
