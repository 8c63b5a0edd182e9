import type { Guard } from '../../contract/guards.ts'
import { baseName } from '../../core/path-names.ts'
import { isTestFile } from '../../core/test-files.ts'
import type { ChangedFile } from '../../guards/guard.ts'
import type { HidingTest } from '../../guards/hiding-tests.ts'
import type { JobContext } from '../../jobs/job-context.ts'
import type { Sandbox } from '../../sandbox/sandbox.ts'
import { currentFiles, splitChanges, type BaseFiles, type Changes } from '../steps/base/base-files.ts'
import { changedFiles, type FindGuards } from '../steps/guards.ts'
import { configures, withOwnScripts, type CheckName } from './checks-config.ts'

/** What is known of changes that make checks pass without mending anything. */
export interface StrictDeps {
  findGuards: FindGuards
  /** What the change does to tests that may hide a failure. */
  hidingTests: (files: readonly ChangedFile[]) => HidingTest[]
  /** A text without the comments on these lines that silence a checker. */
  withoutSuppressions: (text: string, lines: readonly number[]) => string
}

/** What a change does to one of its own checks, as a step keeps it. */
export interface Undoing {
  /** Files that are put back as they were, or left out where they are new. */
  paths: string[]
  /** Lines whose comments that silence a checker are taken out, by file. */
  silenced: Array<{ path: string; lines: number[] }>
  /** Whether what the command runs by package.json is put back. */
  hasScripts: boolean
  /** Each of these in words, for whoever changed it. */
  why: string[]
}

/** The checks that a change could make pass by itself. */
export type Looked = { guards: Guard[]; mayLoseTests: boolean } & Record<CheckName, Undoing>

const MANIFEST = 'package.json'
/** More are no help. */
const MAX_REASONS = 20
const MAX_REASON_CHARS = 300

/**
 * Whether fewer tests are to be expected: some were changed or deleted, or files that tests may have been made from. A
 * conftest.py has no tests itself, and can keep others from running.
 */
const mayLose = ({ changed, deleted }: Changes, guards: readonly Guard[]): boolean =>
  deleted.length > 0 ||
  changed.some(path => isTestFile(path) && baseName(path) !== 'conftest.py') ||
  guards.some(({ kind }) => kind === 'deleted_test')

const placeOf = ({ path, line, detail }: Guard): string => `${path}:${line}: ${detail}`

function suppressedIn(guards: readonly Guard[], path: string): number[] {
  return guards.filter(guard => guard.kind === 'suppressed_check' && guard.path === path).map(({ line }) => line)
}

/** What lookers need of a change. */
interface Change {
  base: BaseFiles
  changes: Changes
  commands: Readonly<Partial<Record<CheckName, string>>>
  /** Whether the request names a file of configuration as one that may be changed. */
  isAllowed: (path: string) => boolean
}

/** Tests that say less than before. */
const ofTests = (hiding: readonly HidingTest[]): Omit<Undoing, 'hasScripts'> => ({
  paths: hiding.flatMap(({ paths }) => paths),
  silenced: [],
  why: hiding.map(({ guard }) => placeOf(guard)),
})

/** Comments that are new and silence a checker. */
function ofComments(guards: readonly Guard[], touched: readonly string[]): Omit<Undoing, 'hasScripts'> {
  const silenced = touched.map(path => ({ path, lines: suppressedIn(guards, path) }))
  const why = guards.filter(({ kind }) => kind === 'suppressed_check').map(placeOf)
  return { paths: [], silenced: silenced.filter(({ lines }) => lines.length > 0), why }
}

/** What a change does to its checks, as a step. */
export function lookAtChange(job: JobContext, deps: StrictDeps, change: Change): Promise<Looked> {
  const { base, changes, commands, isAllowed } = change
  const touched = [...changes.changed, ...changes.deleted]
  return job.step('check.guards', async () => {
    const files = await changedFiles(job, { base, changes })
    const guards = deps.findGuards(files, null)
    const manifest = files.find(({ path }) => path === MANIFEST)
    const { before, after } = manifest ?? { before: null, after: null }

    function undoing(check: CheckName): Undoing {
      const configs = touched.filter(path => configures(path, check) && !isAllowed(path))
      const command = commands[check]
      const isRead = command !== undefined && before !== null && after !== null && !isAllowed(MANIFEST)
      const hasScripts = isRead && withOwnScripts(after, { before, command }) !== null
      const own = check === 'test' ? ofTests(deps.hidingTests(files)) : ofComments(guards, touched)
      const why = [
        ...own.why,
        ...configs.map(path => `${path} configures the check and was changed.`),
        ...(hasScripts ? [`${MANIFEST}: what ${command} runs was changed.`] : []),
      ]
      return {
        paths: [...new Set([...own.paths, ...configs])],
        silenced: own.silenced,
        hasScripts,
        why: why.slice(0, MAX_REASONS).map(text => text.slice(0, MAX_REASON_CHARS)),
      }
    }

    return {
      guards,
      typecheck: undoing('typecheck'),
      lint: undoing('lint'),
      test: undoing('test'),
      mayLoseTests: mayLose(changes, guards),
    }
  })
}

/** Whether a check has to be run without what a change does to it. */
export const undoesAnything = ({ paths, silenced, hasScripts }: Undoing): boolean =>
  paths.length > 0 || silenced.length > 0 || hasScripts

/** A change without what it does to one of its checks: the base with some texts over it, and the rest of the change. */
export function withoutOwnHelp(
  job: Pick<JobContext, 'files'>,
  deps: Pick<StrictDeps, 'withoutSuppressions'> & { sandbox: Pick<Sandbox, 'fill'> },
  { base, changes, command, undoing }: Pick<Change, 'base' | 'changes'> & { command: string; undoing: Undoing },
): { base: BaseFiles; changes: Changes } {
  const { paths, silenced, hasScripts } = undoing
  const others = silenced.filter(({ path }) => !paths.includes(path))
  const replaced = [...others.map(({ path }) => path), ...(hasScripts ? [MANIFEST] : [])]

  async function texts(): Promise<Map<string, string>> {
    const current = currentFiles(job, base, changes)
    const made = new Map<string, string>()
    for (const { path, lines } of others) {
      made.set(path, deps.withoutSuppressions((await current.read(path)) ?? '', lines))
    }
    const [before, after] = hasScripts ? [await base.read(MANIFEST), await current.read(MANIFEST)] : [null, null]
    const own = before === null || after === null ? null : withOwnScripts(after, { before, command })
    if (own !== null) made.set(MANIFEST, own)
    return made
  }

  return {
    base: {
      commit: base.commit,
      paths: async () => [...new Set([...(await base.paths()), ...replaced])],
      read: async path => (await texts()).get(path) ?? base.read(path),
      async place(dir, without) {
        await base.place(dir, new Set([...without, ...replaced]))
        await deps.sandbox.fill(dir, await texts())
      },
    },
    changes: splitChanges(changes, [...paths, ...replaced]).rest,
  }
}
