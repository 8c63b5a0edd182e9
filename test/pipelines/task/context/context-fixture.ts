import type { Test } from 'tap'
import { committedFiles, type CommittedFiles } from '../../../../src/pipelines/steps/base/committed-files.ts'
import {
  chooseContext,
  renderContext,
  type ContextDeps,
  type ContextSelection,
  type ShownContext,
} from '../../../../src/pipelines/task/context/gather.ts'
import { languageOf } from '../../../../src/indexer/languages.ts'
import { outlineOf } from '../../../../src/outline/outline.ts'
import { taskContext } from '../../../../src/services/task-context.ts'
import type { TestFiles } from '../../../helpers/git-repository.ts'
import { setup, signal } from '../../../repos/objects/commit-to.ts'

const hit = (path: string, at: number, repository: string) => ({
  repository,
  path,
  startLine: 1,
  endLine: 2,
  score: Math.max(0.3, 1 - at / 100),
  reason: 'lexical' as const,
  snippet: '',
  snippetLine: 1,
  highlightedLines: [],
})

/** A search that finds these paths, best first. */
export const finding =
  (paths: readonly string[], repository = 'shop'): ContextDeps['search'] =>
  async () => ({ hits: paths.map((path, at) => hit(path, at, repository)), complete: true, uncommittedFiles: 0 })

export const contextDeps = (search: ContextDeps['search'] = finding([])): ContextDeps => ({
  ...taskContext((path, text) => {
    const language = languageOf(path)
    return language === null ? null : outlineOf(text, language)
  }),
  search,
})

/** What is shown for tasks, of a base of any kind. */
export async function gather(
  base: Pick<CommittedFiles, 'sizes' | 'readAll'>,
  description: string,
  search?: ContextDeps['search'],
): Promise<{ selection: ContextSelection; context: ShownContext; deps: ContextDeps }> {
  const deps = contextDeps(search)
  const at = { projectName: 'shop', repository: 'shop' }
  const selection = await chooseContext(deps, { base, at, description, signal })
  return { selection, context: await renderContext(deps, { base, selection }), deps }
}

/** The files of a real commit. */
export async function commitOf(t: Test, files: TestFiles) {
  const { reader, base: commit } = await setup(t, { files })
  return { base: committedFiles(reader, { repository: 'shop', commit }), reader, commit }
}

/** Files without git, for properties. */
export const baseOf = (files: Record<string, string>): Pick<CommittedFiles, 'sizes' | 'readAll'> => ({
  sizes: async () => new Map(Object.entries(files).map(([path, text]) => [path, Buffer.byteLength(text)])),
  readAll: async paths => new Map(Object.entries(files).filter(([path]) => paths.includes(path))),
})

export const pathsAt = ({ files }: ContextSelection, level: string): string[] =>
  files.filter(file => file.level === level).map(({ path }) => path)

/** The blocks of a context: the line before each fence, and what is in it. */
export function blocksIn(text: string): Array<{ name: string; content: string }> {
  const blocks: Array<{ name: string; content: string }> = []
  const lines = text.split('\n')
  for (let at = 0; at < lines.length; at++) {
    const fence = lines[at] ?? ''
    if (!/^`{3,}$/.test(fence)) continue
    const end = lines.indexOf(fence, at + 1)
    if (end < 0) throw new Error(`the fence of ${lines[at - 1]} is not closed`)
    blocks.push({ name: lines[at - 1] ?? '', content: lines.slice(at + 1, end).join('\n') })
    at = end
  }
  return blocks
}
