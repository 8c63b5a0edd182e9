import { createHash } from 'node:crypto'
import { open, readdir, readFile, rename, stat } from 'node:fs/promises'
import { join, relative } from 'node:path'
import type { History } from '../../core/project.ts'
import type { Snapshot } from '../work-tree/snapshot.ts'
import { FETCHED_REFS } from '../remote/fetch-plan.ts'
import { plainIdentity } from '../remote/pasted-url.ts'
import type { RepositoryUrl } from '../remote/repository-url.ts'

const STATE_FILE = 'faultline.json'
const FORMAT_VERSION = 1

/** What one project took from a clone. */
export interface CloneUser {
  project: string
  branch: string | null
  commit: string
  /** The name it was fetched by: a full ref name of the remote, `HEAD`, or a commit id. */
  source: string
  /** The local ref it was fetched into. */
  target: string
  history: History
  /** What was changed on top of the commit in the work tree that it came from, when it was last read with that. */
  uncommitted?: Snapshot
  /** Branches that were committed for the project; they are deleted with it. */
  branches?: string[]
}

/** What a clone records about itself, in a file inside it. Nothing secret. */
export interface CloneState {
  formatVersion: number
  url: string
  identity: string
  users: CloneUser[]
  /** The default branch of the remote, as it was when it was asked last. */
  defaultBranch?: string
  /** Commits that were fetched alone, for an answer: history that leads through one of them is cut off there. */
  cutOff?: string[]
}

/** The state of a clone that nobody uses yet. */
export const newCloneState = (remote: RepositoryUrl): CloneState => ({
  formatVersion: FORMAT_VERSION,
  url: remote.url,
  identity: remote.identity,
  users: [],
})

/** The file that is replaced whenever anything about a clone changes. */
export const stateFileOf = (gitDir: string): string => join(gitDir, STATE_FILE)

/** The state of a clone; null when the folder is none of our clones, or its state is damaged. */
export async function readCloneState(gitDir: string): Promise<CloneState | null> {
  try {
    const state = JSON.parse(await readFile(stateFileOf(gitDir), 'utf8')) as CloneState
    if (state.formatVersion !== FORMAT_VERSION || typeof state.identity !== 'string' || !Array.isArray(state.users)) {
      return null
    }
    return { ...state, identity: plainIdentity(state.identity) } // earlier releases told more of them apart
  } catch {
    return null
  }
}

const isFolder = (path: string): Promise<boolean> =>
  stat(path).then(
    stats => stats.isDirectory(),
    () => false,
  )

/** What a fetch writes before any ref of it; where no HEAD is beside it, git sees no repository. */
const FETCHED_FILE = /^(?:shallow|shallow\.lock|objects\/(?:pack\/(?:pack-|tmp_)|[0-9a-f]{2}\/)[^/]+)$/

/** Whether a folder holds what a fetch that never ended makes, and nothing else. */
async function isFetchedFrame(gitDir: string): Promise<boolean> {
  try {
    const names = await readdir(gitDir)
    if (!names.includes('objects') || names.includes('HEAD')) return false
    const below = await readdir(gitDir, { recursive: true, withFileTypes: true })
    return below.every(
      entry => entry.isDirectory() || FETCHED_FILE.test(relative(gitDir, join(entry.parentPath, entry.name))),
    )
  } catch {
    return false
  }
}

/**
 * Whether a folder without a readable state is one of our clones all the same: nobody else has refs of ours. A fetch
 * whose clone was taken away makes a new folder of that name, for what it fetched or was about to.
 */
export const isOurs = async (gitDir: string): Promise<boolean> =>
  (await isFolder(join(gitDir, 'refs', 'faultline'))) ||
  (await isFolder(join(gitDir, FETCHED_REFS))) ||
  (await isFetchedFrame(gitDir))

/** Replaces the state of a clone, durably. */
export async function writeCloneState(gitDir: string, state: CloneState): Promise<void> {
  const file = stateFileOf(gitDir)
  const handle = await open(`${file}.new`, 'w', 0o600)
  try {
    await handle.writeFile(JSON.stringify(state, null, 2))
    await handle.sync()
  } finally {
    await handle.close()
  }
  await rename(`${file}.new`, file)
}

/** The state with this project's entry replaced. */
export function withUser(state: CloneState, user: CloneUser): CloneState {
  return { ...state, users: [...state.users.filter(({ project }) => project !== user.project), user] }
}

/** The history of a clone: `full` when every project that uses it has its history. */
export function historyOf(state: CloneState): History {
  return state.users.length > 0 && state.users.every(({ history }) => history === 'full') ? 'full' : 'shallow'
}

/** The names that a remote's clone may have, the best first. */
export function cloneNames({ repository, identity }: Pick<RepositoryUrl, 'repository' | 'identity'>): string[] {
  const hash = createHash('sha256').update(identity).digest('hex')
  return [
    repository,
    `${repository.slice(0, 55)}-${hash.slice(0, 8)}`,
    `${repository.slice(0, 39)}-${hash.slice(0, 24)}`,
  ]
}

/**
 * The folder for a remote's clone: the one that already holds it; else the repository's name, also where the clone of
 * that name has lost its state; else, when another remote has that, the name with eight digits of the identity's hash.
 *
 * @param taken - Folders about to be created, in lower case, with the identity they are for.
 */
export async function chooseFolder(
  clonedReposDir: string,
  remote: RepositoryUrl,
  taken: ReadonlyMap<string, string>,
): Promise<string> {
  const existing = await readdir(clonedReposDir)
  const [name = '', hashed = '', unique = ''] = cloneNames(remote)
  const candidates = [name, hashed].filter(folder => {
    const reservedFor = taken.get(folder.toLowerCase())
    return reservedFor === undefined || reservedFor === remote.identity
  })
  const thereOf = (folder: string) => existing.find(name => name.toLowerCase() === folder.toLowerCase())
  for (const folder of candidates) {
    const there = thereOf(folder)
    const state = there === undefined ? null : await readCloneState(join(clonedReposDir, there))
    if (there !== undefined && state?.identity === remote.identity) return there
  }
  for (const folder of candidates) {
    const there = thereOf(folder)
    if (there === undefined) return folder
    const gitDir = join(clonedReposDir, there)
    if ((await readCloneState(gitDir)) === null && (await isOurs(gitDir))) return there
  }
  // Both names hold something that is not ours (a folder somebody put there): take one that nobody has.
  return unique
}
