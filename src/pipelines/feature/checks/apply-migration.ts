import { isSecretName } from '../../../core/file-names.ts'
import { folderOf } from '../../../core/path-names.ts'
import { isProtected } from '../../../edits/apply/protected-paths.ts'
import type { JobContext } from '../../../jobs/job-context.ts'
import type { CollectedFile } from '../../../sandbox/workspace/collect.ts'
import type { Sandbox } from '../../../sandbox/sandbox.ts'
import {
  addChanges,
  currentFiles,
  type BaseFiles,
  type Changes,
  type CurrentFiles,
} from '../../steps/base/base-files.ts'
import { requireLayer, type EnvironmentState } from '../../steps/environment.ts'
import { inWorkspace, runIn, type RunDeps } from '../../steps/program/run-program.ts'
import { keptOutput, printedBy } from '../../task/checks-words.ts'
import { isDependencyFile, type FeatureRules } from '../rules.ts'

/** What migrations need. */
export interface MigrationDeps {
  sandbox: RunDeps & Pick<Sandbox, 'collect'>
}

/** What is to be done, in the seed's words. */
export interface MigrationInput {
  action: 'generate' | 'apply' | 'rollback'
}

/** The feature so far. */
export interface MigratedFiles {
  changes: Changes
  /** Files that `generate` made or changed. */
  made: readonly string[]
}

/** What came of it. */
export interface MigrationOutput {
  success: boolean
  output: string
  /** Null where the project has none, and nothing was run. */
  command: string | null
  exitCode: number | null
  changes: Changes
  made: string[]
}

/** Generates, tries and takes back migrations. */
export type ApplyMigration = (input: MigrationInput, on: MigratedFiles) => Promise<MigrationOutput>

/** The project that they are for. */
interface MigratedProject {
  base: BaseFiles
  rules: Pick<FeatureRules, 'migrations' | 'allowedPaths'>
  needEnvironment: () => Promise<EnvironmentState>
}

/** Folders of dependencies, of caches and of git: none of the project's files. */
const IGNORED = ['node_modules', '.git', '.venv', 'venv', 'vendor', '.faultline', '.cache', '__pycache__']
const MAX_FILE_BYTES = 1_048_576
const MAX_NAMED = 20
const SCRATCH = '.faultline'
/** How programs print an error that ended their work; drizzle-kit exits with 0 all the same, and leaves a journal. */
const ERROR_LINE = /^(?:Uncaught )?\w*(?:Error|Exception)(?: \[\w+\])?: \S/m
const ENV = {
  DATABASE_URL: `file:/workspace/${SCRATCH}/scratch.db`,
  FAULTLINE_SCRATCH_DIR: `/workspace/${SCRATCH}`,
  CI: '1',
}

const missing = (name: string, does: string): string =>
  `The project has no command that ${does} migrations. PATCH /projects/{name} {"migrations": {"${name}": "…"}}, or ` +
  '[migrations] of .faultline.toml on the default branch names one.'

/** A text file of a sensible size; null for anything else. */
function textOf({ content }: CollectedFile): string | null {
  if (content.length > MAX_FILE_BYTES || content.includes(0)) return null
  const text = content.toString()
  return Buffer.from(text).equals(content) ? text : null
}

/** What a command wrote: new texts by path, and what it wrote that is not to be taken, each with the reason. */
interface Written {
  texts: Map<string, string>
  refused: string[]
}

const NOT_WHOLE = new Set(['too_many', 'total_too_large'])

/** The folder that all files are in, with a slash at its end; '' where that is the root. */
function commonFolder(paths: readonly string[]): string {
  let folder = folderOf(paths[0] ?? '')
  while (!paths.every(path => path.startsWith(folder))) folder = folderOf(folder.slice(0, -1))
  return folder
}

/**
 * The folder of migrations where nothing names it: the one that all new files are in. One that holds code which
 * features may change is none: the command loads what the model wrote, and that could write beside it.
 */
function foundFolder(fresh: readonly string[], allowedPaths: readonly string[]): string | null {
  const folder = commonFolder(fresh)
  const holdsCode = allowedPaths.some(path => `${path}/`.startsWith(folder))
  return folder === '' || holdsCode ? null : folder
}

/** Why a file in the folder of migrations is not taken; null for one that is. */
function whyNotTaken(path: string, text: string | null, before: string | null): string | null {
  if (text === null) return `${path} is no text of up to ${MAX_FILE_BYTES} bytes`
  if (isProtected(path) || isDependencyFile(path)) return `${path} is protected`
  return before !== null && path.toLowerCase().endsWith('.sql') ? `${path} is a migration that was there before` : null
}

/** What is different in the folder of migrations from what was put there. */
async function writtenIn(
  {
    sandbox,
    current,
    allowedPaths,
  }: { sandbox: Pick<Sandbox, 'collect'>; current: CurrentFiles } & Pick<FeatureRules, 'allowedPaths'>,
  workspace: string,
  told: string | null,
): Promise<Written> {
  const { files, skipped } = await sandbox.collect(workspace, {
    ignore: IGNORED,
    ...(told === null ? {} : { below: told }),
  })
  const written: Written = { texts: new Map(), refused: [] }
  if (skipped.some(({ reason }) => NOT_WHOLE.has(reason))) {
    written.refused.push('there are more files than can be looked at')
    return written
  }
  const known = new Set(await current.paths())
  const fresh = files.flatMap(({ path }) => (known.has(path) || isSecretName(path) ? [] : [path]))
  const folder = told === null ? foundFolder(fresh, allowedPaths) : `${told}/`
  if (folder === null) {
    written.refused.push(...fresh)
    return written
  }
  for (const file of files.filter(({ path }) => path.startsWith(folder) && !isSecretName(path))) {
    const { path } = file
    const text = textOf(file)
    const before = known.has(path) ? await current.read(path) : null
    if (text === before && known.has(path)) continue
    const why = whyNotTaken(path, text, before)
    if (why !== null) written.refused.push(why)
    else if (text !== null) written.texts.set(path, text)
  }
  return written
}

/**
 * Makes the skill `apply_migration`, each call a step in the sandbox. `generate` takes what the project's command
 * writes into its folder of migrations. `apply` runs over a scratch database that goes with the workspace: what happens
 * to a real one is the matter of the deployment. `rollback` takes the files of an unapplied migration away again, and
 * runs the project's own command for that, where there is one, over a scratch database with the migration applied, to
 * show that it works.
 */
export function createApplyMigration(
  job: JobContext,
  { sandbox }: MigrationDeps,
  { base, rules, needEnvironment }: MigratedProject,
): ApplyMigration {
  const { generate, apply, rollback, folder } = rules.migrations

  /** Runs commands one after the other in one workspace, until one fails. */
  async function runAll(
    commands: readonly string[],
    changes: Changes,
    then: (workspace: string) => Promise<Written>,
  ): Promise<{ output: string; exitCode: number | null; written: Written }> {
    const layer = requireLayer(await needEnvironment())
    return inWorkspace(job, sandbox, { base, changes }, async workspace => {
      await sandbox.fill(workspace, new Map([[`${SCRATCH}/.keep`, '']]))
      const outputs: string[] = []
      let exitCode: number | null = 0
      for (const command of commands) {
        const argv = ['/bin/bash', '-c', command]
        const run = await runIn(job, sandbox, { workspace, argv, env: ENV, layer, network: 'none' })
        outputs.push(printedBy(run))
        exitCode = run.exitCode
        if (exitCode !== 0) break
      }
      const written = exitCode === 0 ? await then(workspace) : { texts: new Map<string, string>(), refused: [] }
      return { output: keptOutput(outputs.join('\n')), exitCode, written }
    })
  }

  const nothing = async (): Promise<Written> => ({ texts: new Map(), refused: [] })

  async function generated({ changes, made }: MigratedFiles): Promise<MigrationOutput> {
    if (generate === null) {
      const output = missing('generate', 'generates')
      return { success: true, output, command: null, exitCode: null, changes, made: [...made] }
    }
    const current = currentFiles(job, base, changes)
    const { output, exitCode, written } = await runAll([generate], changes, workspace =>
      writtenIn({ sandbox, current, allowedPaths: rules.allowedPaths }, workspace, folder),
    )
    const { texts, refused } = written
    if (exitCode !== 0 || refused.length > 0 || ERROR_LINE.test(output)) {
      const why =
        refused.length === 0
          ? ''
          : `\nIt wrote what cannot be taken: ${refused.slice(0, MAX_NAMED).join(', ')}. ` +
            'Have migrations.folder name the folder that the command writes to: no other files are taken.'
      return { success: false, output: `${output}${why}`, command: generate, exitCode, changes, made: [...made] }
    }
    await job.files.put(texts)
    const paths = [...texts.keys()].sort()
    return {
      success: true,
      output,
      command: generate,
      exitCode,
      changes: addChanges(changes, { changed: paths, deleted: [] }),
      made: [...new Set([...made, ...paths])].sort(),
    }
  }

  async function applied({ changes, made }: MigratedFiles): Promise<MigrationOutput> {
    const same = { changes, made: [...made] }
    if (apply === null) {
      return { success: true, output: missing('apply', 'applies'), command: null, exitCode: null, ...same }
    }
    const { output, exitCode } = await runAll([apply], changes, nothing)
    return { success: exitCode === 0, output, command: apply, exitCode, ...same }
  }

  /** The files of the migration as the base has them, or gone. */
  async function takenBack({ changes, made }: MigratedFiles): Promise<Changes> {
    const restored = new Map<string, string | null>()
    for (const path of made) restored.set(path, await base.read(path))
    await job.files.put(restored)
    const isNew = (path: string): boolean => restored.get(path) === null
    return addChanges(changes, { changed: made.filter(path => !isNew(path)), deleted: made.filter(isNew) })
  }

  async function rolledBack(on: MigratedFiles): Promise<MigrationOutput> {
    const commands = apply === null || rollback === null || on.made.length === 0 ? [] : [apply, rollback]
    const tried = commands.length === 0 ? null : await runAll(commands, on.changes, nothing)
    const changes = await takenBack(on)
    return {
      success: tried === null || tried.exitCode === 0,
      output: tried?.output ?? `Took ${on.made.length} files back.`,
      command: tried === null ? null : rollback,
      exitCode: tried?.exitCode ?? null,
      changes,
      made: [],
    }
  }

  const actions = { generate: generated, apply: applied, rollback: rolledBack }

  return ({ action }, on) =>
    job.step(`migration.${action}`, async () => {
      const done = await actions[action](on)
      const { success, command, made } = done
      const files = action === 'rollback' ? on.made : made
      const outcome = success ? 'done' : 'failed'
      if (command !== null) job.log(`migration ${action}: ${outcome}.`)
      await job.audit({ action: 'feature.migration', target: `${action}: ${files.join(', ')}`, outcome })
      return done
    })
}
