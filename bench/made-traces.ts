// Stack traces as a repository's own code would leave them: many different ones, the same in every run.
import { splitLines } from '../src/core/source-text.ts'
import { outlineOf } from '../src/outline/outline.ts'

interface MadeFunction {
  path: string
  name: string
  lines: Array<{ number: number; code: string }>
}

const FRAMES = 9
const LIBRARY_FRAMES = 3
const STAYS = 0.4 // how often a function calls one of its own file
const LEAST_LINES = 4
const KINDS = ['AttributeError', 'TypeError', 'ValueError', 'KeyError', 'RuntimeError']

function functionsOf({ path, language, text }: { path: string; language: string; text: string }): MadeFunction[] {
  const all = splitLines(text)
  return (outlineOf(text, language)?.scopes ?? [])
    .filter(({ kind }) => kind === 'function')
    .flatMap(({ name, startLine, endLine }) => {
      const lines = all
        .slice(startLine, endLine)
        .map((line, i) => ({ number: startLine + 1 + i, code: line.trim().slice(0, 200) }))
        .filter(({ code }) => /[\p{L}]{3}/u.test(code))
      return lines.length < LEAST_LINES ? [] : [{ path, name, lines }]
    })
}

/** In [0, 1), always the same ones. */
function createRandom(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

const libraryFrame = (i: number): string[] => [
  `  File "/usr/lib/python3.12/site-packages/framework/dispatch_${i}.py", line ${100 + i}, in call_next`,
  '    return handler(request)',
]

/**
 * @param files - Those of languages without a scanner are left out.
 * @param stays - How often a function calls one of its own file; with 0 each frame is in another one.
 */
export function madeTraces(
  files: ReadonlyArray<{ path: string; language: string; text: string }>,
  count: number,
  { stays = STAYS }: { stays?: number } = {},
): string[] {
  const byFile = files.map(functionsOf).filter(functions => functions.length > 1)
  const random = createRandom(41)
  const pick = <T>(from: readonly T[]): T | undefined => from[Math.floor(random() * from.length)]
  const pickFile = (): readonly MadeFunction[] => pick(byFile) ?? []
  const nameIn = (functions: readonly MadeFunction[]): string => pick(functions)?.name ?? ''

  function makeTrace(): string {
    const rows = ['Traceback (most recent call last):']
    let own = pickFile()
    let last: MadeFunction | undefined
    for (let i = 0; i < FRAMES; i++) {
      if (random() >= stays) own = pickFile()
      last = pick(own)
      const line = pick(last?.lines ?? [])
      if (last === undefined || line === undefined) continue
      rows.push(
        `  File "/srv/app/releases/20261103/${last.path}", line ${line.number}, in ${last.name}`,
        `    ${line.code}`,
      )
      if (i < LIBRARY_FRAMES) rows.push(...libraryFrame(i))
    }
    rows.push(`${pick(KINDS) ?? ''}: '${nameIn(own)}' of ${last?.name ?? ''} has no '${nameIn(pickFile())}'`)
    return rows.join('\n')
  }

  return Array.from({ length: count }, makeTrace)
}
