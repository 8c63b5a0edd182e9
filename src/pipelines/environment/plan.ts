import { createHash } from 'node:crypto'
import { FaultlineError } from '../../core/errors.ts'
import type { JobContext } from '../../jobs/job-context.ts'
import type { CommitListing, CommitReader, CommittedFile } from '../../repos/objects/commit-reader.ts'
import type { Ecosystem } from '../../sandbox/network/ecosystems.ts'
import type { Sandbox } from '../../sandbox/sandbox.ts'
import { projectChecks, type ProjectChecks } from './checks.ts'
import { ECOSYSTEM_RULES, type Checks, type EcosystemRule } from './ecosystem-rules.ts'
import { PROJECT_FILE, readProjectFile } from './project-file.ts'

/** A commit of a project. */
export interface ProjectCommit {
  projectName: string
  repository: string
  commit: string
}

/** The commands of a project at a commit. */
export type ChecksOf = (at: ProjectCommit) => Promise<Checks>

/** What reading the commands of a project needs. */
interface ChecksDeps {
  git: Pick<CommitReader, 'listFiles' | 'readTexts'>
  /** What the operator says. */
  settingsOf: (projectName: string) => Promise<Checks>
  /** The commit that the index of the project was made from: of its file, only that one counts. */
  commitOf: (projectName: string, repository?: string) => Promise<{ commit: string }>
}

/** What planning an environment needs. */
export interface PlanDeps extends ChecksDeps {
  sandbox: Pick<Sandbox, 'run' | 'remove'>
}

/** How the dependencies of a project are installed. */
export interface EnvironmentPlan {
  /** SHA-256 of all that the install depends on. */
  key: string
  install: string
  /** Whose registries it reaches; undefined for those of npm and pip. */
  ecosystems: Ecosystem[] | undefined
  /** The files of the project that it gets. */
  given: string[]
  /** The others. */
  withheld: string[]
}

interface Found extends ProjectChecks {
  listing: CommitListing
  /** What is wrong with the file of the project. */
  notice: string | null
}

/** With another number every environment is installed anew. */
const KEY_VERSION = 1
/** The texts that rules read. */
const READ_BY_RULES = ['package.json', 'pyproject.toml', 'composer.json']
const MAX_FILE_BYTES = 1_048_576
/** An install command that means nothing. */
const NOTHING = /^(?:true|:)$/
/** How long the versions of the machine's programs are remembered. */
const REMEMBER_MS = 600_000
const VERSIONS_LIMIT_MS = 120_000

async function textsOf(
  { git }: Pick<ChecksDeps, 'git'>,
  { repository, listing, names }: { repository: string; listing: CommitListing; names: readonly string[] },
): Promise<Map<string, string>> {
  const files = listing.files.filter(({ path, size }) => names.includes(path) && size <= MAX_FILE_BYTES)
  const texts = await git.readTexts({ repository, oids: files.map(({ oid }) => oid) })
  return new Map(files.map(({ path }, index) => [path, texts[index] ?? '']))
}

/** The text of a project's own file at a commit; empty where there is none, null for one that is too large. */
export async function projectFileAt(
  { git }: Pick<ChecksDeps, 'git'>,
  { repository, commit }: Pick<ProjectCommit, 'repository' | 'commit'>,
): Promise<string | null> {
  const listing = await git.listFiles({ repository, commit })
  if (listing.files.some(({ path, size }) => path === PROJECT_FILE && size > MAX_FILE_BYTES)) return null
  return (await textsOf({ git }, { repository, listing, names: [PROJECT_FILE] })).get(PROJECT_FILE) ?? ''
}

async function readChecks(deps: ChecksDeps, { projectName, repository, commit }: ProjectCommit): Promise<Found> {
  const listing = await deps.git.listFiles({ repository, commit })
  const texts = await textsOf(deps, { repository, listing, names: READ_BY_RULES })
  const indexed = await deps.commitOf(projectName, repository)
  const { checks, notice } = readProjectFile(await projectFileAt(deps, { repository, commit: indexed.commit }))
  const files = {
    paths: new Set(listing.files.map(({ path }) => path)),
    text: (path: string) => texts.get(path) ?? null,
  }
  return { ...projectChecks(files, [await deps.settingsOf(projectName), checks]), listing, notice }
}

/** Reads the commands of projects. */
export const createChecksOf =
  (deps: ChecksDeps): ChecksOf =>
  async at =>
    (await readChecks(deps, at)).checks

/** The versions of the programs that install, as the jail has them. */
type VersionsOf = (job: Pick<JobContext, 'workspace' | 'signal'>, rules: readonly EcosystemRule[]) => Promise<string>

const untold = (killedBy: string): FaultlineError =>
  new FaultlineError(
    'ENVIRONMENT_FAILED',
    `The programs that install did not tell their versions (${killedBy}).`,
    'Start the job again when the machine is less busy.',
  )

/** Asks programs for their versions, and remembers the answers for a while. */
export function createVersionsOf({ sandbox }: Pick<PlanDeps, 'sandbox'>, now = Date.now): VersionsOf {
  const known = new Map<string, { at: number; text: string }>()
  return async (job, rules) => {
    const script = rules.map(({ versions }) => versions).join('; ')
    const before = known.get(script)
    if (before !== undefined && now() - before.at < REMEMBER_MS) return before.text
    const workspace = await job.workspace('versions')
    try {
      const argv = ['/bin/bash', '-c', script]
      const limits = { timeoutMs: VERSIONS_LIMIT_MS }
      const { stdout, stderr, killedBy } = await sandbox.run({ argv, workspace, limits, signal: job.signal })
      job.signal.throwIfAborted()
      if (killedBy !== null) throw untold(killedBy) // half an answer would be another key
      const text = `${stdout}\n${stderr}`
      known.set(script, { at: now(), text })
      return text
    } finally {
      await sandbox.remove(workspace, { later: true })
    }
  }
}

const isNeeded = (rules: readonly EcosystemRule[], path: string): boolean => rules.some(rule => rule.isInput(path))

/** Whose registries an install may reach. */
function ecosystemsOf(rules: readonly EcosystemRule[], { files }: CommitListing): Ecosystem[] {
  const paths = new Set(files.map(({ path }) => path))
  return rules.flatMap(({ ecosystem, further }) => [ecosystem, ...(further?.(paths) ?? [])])
}

const identityOf = ({ path, mode, oid }: CommittedFile): string[] => [path, mode, oid]

/**
 * How the dependencies of a project are installed at a commit. An install by a package manager alone gets the files
 * that it depends on; any other command gets, and depends on, all files of the commit, so that none can leave something
 * for another commit.
 *
 * @param onNotice - Gets what is wrong with the file of the project.
 * @returns Null where nothing is to be installed.
 * @throws {FaultlineError} ENVIRONMENT_FAILED, SANDBOX_UNAVAILABLE
 */
export async function planEnvironment(
  job: Pick<JobContext, 'workspace' | 'signal'>,
  deps: ChecksDeps & { versionsOf: VersionsOf; onNotice: (notice: string) => void },
  at: ProjectCommit,
): Promise<EnvironmentPlan | null> {
  const { checks, rules, isPlainInstall, listing, notice } = await readChecks(deps, at)
  if (notice !== null) deps.onNotice(notice)
  const { install } = checks
  if (install === undefined || NOTHING.test(install.trim())) return null
  const inputs = listing.files.filter(({ path }) => !isPlainInstall || isNeeded(rules, path))
  const getsAll = !isPlainInstall || rules.some(({ needsAll }) => needsAll === true)
  const given = (getsAll ? listing.files : inputs).map(({ path }) => path)
  const isGiven = new Set(given)
  const ecosystems = rules.length === 0 ? undefined : ecosystemsOf(rules, listing)
  const versions = await deps.versionsOf(job, rules.length === 0 ? ECOSYSTEM_RULES : rules)
  const parts = [
    KEY_VERSION,
    install,
    ecosystems ?? [],
    process.platform,
    process.arch,
    versions,
    inputs.map(identityOf),
  ]
  return {
    key: createHash('sha256').update(JSON.stringify(parts)).digest('hex'),
    install,
    ecosystems,
    given,
    withheld: listing.files.map(({ path }) => path).filter(path => !isGiven.has(path)),
  }
}
