import { oldSide, replyProblem, type EditProblem, type FileDiff } from '../edit.ts'
import { textOf } from './diff-target.ts'
import { LineIndex, type Work } from './line-index.ts'

const MAX_SHOWN = 10

/** Finds the files that blocks of SEARCH and REPLACE mean which name none. */
export class SearchTargets {
  readonly #files: ReadonlyMap<string, string>
  readonly #work: Work
  #indexes: ReadonlyMap<string, LineIndex> | null = null

  constructor(files: ReadonlyMap<string, string>, work: Work) {
    this.#files = files
    this.#work = work
  }

  /**
   * The diff under the name of the only file in which the lines stand that it searches.
   *
   * @throws {TooMuchWork}
   */
  meant(diff: FileDiff): { diff: FileDiff } | { problem: EditProblem } {
    const [only, ...others] = this.#holding(diff)
    if (only !== undefined && others.length === 0) return { diff: { ...diff, oldPath: only, newPath: only } }
    const why =
      only === undefined
        ? 'the lines that it searches stand in none that is known'
        : `the lines that it searches stand in ${[only, ...others].slice(0, MAX_SHOWN).join(', ')}`
    const detail = `Nothing says which file this block is of, and ${why}. Put the name of the file on the line above.`
    return {
      problem: replyProblem(only === undefined ? 'not_found' : 'ambiguous', detail, { text: textOf(diff.hunks) }),
    }
  }

  #holding({ hunks }: FileDiff): string[] {
    const sides = hunks.map(hunk => oldSide(hunk).map(({ text }) => [text]))
    if (sides.some(side => side.every(([text = '']) => text.trim() === ''))) return []
    this.#indexes ??= new Map(
      Array.from(this.#files, ([path, text]) => [path, new LineIndex(text.split(/\r?\n/), this.#work)]),
    )
    for (const level of ['exact', 'stripped'] as const) {
      const found = [...this.#indexes].filter(([, index]) => sides.every(side => index.find(side, level).length > 0))
      if (found.length > 0) return found.map(([path]) => path)
    }
    return []
  }
}
