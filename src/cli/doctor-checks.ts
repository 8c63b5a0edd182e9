import { access, constants, statfs } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { Config } from '../config.ts'
import type { Readiness } from '../contract/readiness.ts'
import { isNewEnough, NEEDED_NODE } from '../core/node-version.ts'
import type { Diagnosis } from '../services/diagnose.ts'
import { bytes } from '../text/table.ts'

/** One line of `faultline doctor`. */
export interface Check {
  name: string
  status: 'ok' | 'warn' | 'missing'
  detail: string
  /** The command or setting that fixes it. */
  fix: string | null
  /** Whether nothing works without it. */
  necessary: boolean
}

const GIB = 1024 ** 3
const LITTLE_FREE_BYTES = 5 * GIB
const ONLINE_TIMEOUT_MS = 10_000

const ok = (name: string, detail: string): Check => ({ name, status: 'ok', detail, fix: null, necessary: false })
const warn = (name: string, detail: string, fix: string): Check => ({
  name,
  status: 'warn',
  detail,
  fix,
  necessary: false,
})
/** A failed check of something necessary. */
export const missing = (name: string, detail: string, fix: string): Check => ({
  name,
  status: 'missing',
  detail,
  fix,
  necessary: true,
})

/** Checks the version of Node. */
export function nodeCheck(version: string): Check {
  return isNewEnough(version)
    ? ok('node', version)
    : missing('node', `${version} is too old`, `Install Node ${NEEDED_NODE} or newer: https://nodejs.org/`)
}

/** Checks that git is installed and free of known faults. */
export function gitCheck({ available, version, warning }: Readiness['git']): Check {
  if (!available) return missing('git', 'not found: nothing can be cloned', 'Install it: apt-get install git')
  const shown = version ?? ''
  return warning === null ? ok('git', shown) : warn('git', `${shown}: ${warning}`, 'Install a newer git.')
}

/** Says how vectors of many chunks are searched. @param problem - Why hnswlib-node cannot be used, or null. */
export function searchCheck(problem: string | null): Check {
  if (problem === null) return ok('vectors', 'hnsw: hnswlib-node works')
  return warn(
    'vectors',
    `exact: hnswlib-node cannot be used (${problem}). Search is exact instead, which is quick up to 200,000 chunks.`,
    'For larger projects: apt-get install g++ make python3, then install Faultline again (npm ci).',
  )
}

/** Checks the native module and the features of SQLite that the store can use. */
export function storeChecks({ hnsw, catalogue }: Diagnosis['store']): Check[] {
  return [
    searchCheck(hnsw),
    catalogue === null
      ? ok('catalogue', 'SQLite with full text search works')
      : missing(
          'catalogue',
          catalogue,
          `Use a Node whose SQLite has FTS5, as those of nodejs.org (${NEEDED_NODE} or newer).`,
        ),
  ]
}

/** Checks that a model is configured; a server of an earlier release says nothing of what is missing. */
export function modelCheck({ configured, model, reason, fix }: Readiness['llm']): Check {
  if (configured) return ok('model', `${model ?? ''}, not asked now (--online tries)`)
  return warn(
    'model',
    `${reason?.replace(/\.$/, '') ?? 'not configured'}: frames and code, but no explanations`,
    fix ?? 'Set LLM_BASE_URL, LLM_MODEL and, where the server wants one, LLM_API_KEY.',
  )
}

/** Says which embedder is used. */
export const embeddingCheck = ({ provider, model }: Readiness['embedding']): Check =>
  ok(
    'embedding',
    provider === 'local' ? `${model}, built in: no code leaves this machine for it` : `${model} of an API`,
  )

/** Checks that the database of DATABASE_URL can be used, where one is configured. */
export function databaseChecks(problem: Diagnosis['database']): Check[] {
  if (problem === undefined) return []
  if (problem === null) return [ok('database', 'PostgreSQL answers, and its schema is up to date')]
  const { reason, fix, isFatal } = problem
  return [isFatal ? missing('database', reason, fix) : warn('database', reason, fix)]
}

/** The check of a server's database, by what it says; none where it has no server for it. */
export function serverDatabaseChecks(state: Readiness['database']): Check[] {
  if (state === undefined || state.kind === 'sqlite') return []
  if (state.status === 'ok') return [ok('database', 'PostgreSQL answers')]
  return [missing('database', 'PostgreSQL does not answer', 'Look at the server of the database, and at the log.')]
}

/** Checks that programs can run in the sandbox. */
export function sandboxCheck({ available, reason, fix, memory_limit: limit }: Readiness['sandbox']): Check {
  const byKernel = limit === 'kernel'
  if (available) return ok('sandbox', `programs can be run${byKernel ? '; the kernel limits their memory' : ''}`)
  return warn(
    'sandbox',
    `${reason ?? 'not available'} Nothing will be executed; the rest works.`,
    fix ?? 'See docs/sandbox.md.',
  )
}

/** Asks the model server for its list of models, which costs nothing. */
export async function onlineModelCheck(llm: NonNullable<Config['llm']>, signal: AbortSignal): Promise<Check> {
  const host = new URL(llm.baseUrl).host
  try {
    const headers = llm.apiKey === null ? undefined : { authorization: `Bearer ${llm.apiKey}` }
    const response = await fetch(`${llm.baseUrl}/models`, {
      headers,
      redirect: 'error',
      signal: AbortSignal.any([signal, AbortSignal.timeout(ONLINE_TIMEOUT_MS)]),
    })
    await response.body?.cancel()
    // not every server has a list
    if (response.ok || response.status === 404) return ok('model', `${llm.model}: ${host} answers`)
    return warn(
      'model',
      `${llm.model}: ${host} answers with ${response.status}`,
      response.status === 401 || response.status === 403 ? 'Check LLM_API_KEY.' : 'Check LLM_BASE_URL.',
    )
  } catch (error) {
    signal.throwIfAborted()
    const { cause, message } = error as Error & { cause?: { code?: string } }
    return warn(
      'model',
      `${llm.model}: ${host} does not answer (${cause?.code ?? message})`,
      'Check LLM_BASE_URL and the network.',
    )
  }
}

async function nearestExisting(folder: string): Promise<string> {
  for (let at = folder; ; at = dirname(at)) {
    const exists = await access(at).then(
      () => true,
      () => false,
    )
    if (exists || dirname(at) === at) return at
  }
}

/**
 * Checks that a data folder can be written, and its free space. A missing folder will be created in its nearest
 * existing parent.
 */
export async function folderCheck(variable: string, folder: string, minFreeBytes: number): Promise<Check> {
  const existing = await nearestExisting(folder)
  const name = `folder ${variable}`
  try {
    await access(existing, constants.W_OK | constants.X_OK)
  } catch {
    return missing(
      name,
      `${folder} cannot be written`,
      `Give this account the right to write there, or set ${variable}.`,
    )
  }
  const { bavail, bsize } = await statfs(existing)
  const free = bavail * bsize
  const detail = `${folder}, ${bytes(free)} free`
  if (free < minFreeBytes) {
    return missing(
      name,
      `${detail}: less than ${bytes(minFreeBytes)}`,
      `Free some space, or set ${variable} to a folder on another disk.`,
    )
  }
  return free < LITTLE_FREE_BYTES
    ? warn(name, detail, `Free some space, or set ${variable} to a folder on another disk.`)
    : ok(name, detail)
}
