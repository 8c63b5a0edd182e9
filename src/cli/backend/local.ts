import { loadConfig } from '../../config.ts'
import { FaultlineError } from '../../core/errors.ts'
import { findRunningServer, holderOf } from '../../services/folder-holder.ts'
import { CliError, usageError } from '../cli-error.ts'
import { EXIT } from '../exit-codes.ts'
import type { Backend } from './backend.ts'
import { createHttpBackend } from './http.ts'
import type { InProcessOptions } from './in-process.ts'

/**
 * What a command does with the data folders. `read` only looks, beside whatever holds them; `write` needs their lock;
 * `keep` answers as `read` does, and keeps the answer where it can have the lock; `server` leaves work behind that only
 * a server goes on with.
 */
export type FolderAccess = 'read' | 'write' | 'keep' | 'server'

/** How the data folders of this machine are worked with. */
export interface LocalOptions extends Omit<InProcessOptions, 'readOnly'> {
  access: FolderAccess
  /** Whether a server that holds the folders may do the work. */
  mayUseServer: boolean
  apiKey: string | undefined
  signal: AbortSignal
  /** Hears what a person should know of how the folders are worked with. */
  note: (text: string) => void
}

/** Says whose key is missing: nobody has named the server that was found. */
function withServerNamed(error: unknown, url: string): unknown {
  if (!(error instanceof FaultlineError) || error.code !== 'UNAUTHORIZED') return error
  return new CliError('UNAUTHORIZED', `The server at ${url}, which holds this data folder, refuses: ${error.message}`, {
    fix: 'Set FAULTLINE_API_KEY, or --api-key, to one of the keys in its API_KEYS.',
    exitCode: EXIT.missing,
    cause: error,
  })
}

/** The same backend, whose errors pass through `change`. */
function changingErrors(backend: Backend, change: (error: unknown) => unknown): Backend {
  const changed = Object.entries(backend).map(([name, member]: [string, unknown]) => {
    if (typeof member !== 'function') return [name, member]
    const call = (...args: unknown[]): unknown => {
      const result: unknown = Reflect.apply(member, backend, args)
      if (!(result instanceof Promise)) return result
      return result.catch((error: unknown) => {
        throw change(error)
      })
    }
    return [name, call]
  })
  return Object.fromEntries(changed) as Backend
}

const isLockedError = (error: unknown): boolean => error instanceof FaultlineError && error.code === 'DATA_DIR_LOCKED'

/** Opens the services of this process as the access needs it. Loads them now: a client of a server needs none. */
async function openServices({ access, note, ...options }: LocalOptions): Promise<Backend> {
  if (access === 'server') {
    throw usageError(
      '--detach needs a server: without one the job would end with this command.',
      'Start one with "faultline serve", or name one with --server.',
    )
  }
  const { openInProcess } = await import('./in-process.ts')
  if (access !== 'keep') return openInProcess({ ...options, readOnly: access === 'read' })
  try {
    return await openInProcess(options)
  } catch (error) {
    if (!isLockedError(error)) throw error
    const holder = holderOf(loadConfig(options))
    note(`The data folder is in use${holder === null ? '' : ` (${holder})`}: the answer will not be kept.`)
    return openInProcess({ ...options, readOnly: true })
  }
}

/** The server that holds the data folders; null where there is none. */
export const serverHere = (options: Pick<LocalOptions, 'flags' | 'cwd' | 'signal'>): Promise<string | null> =>
  findRunningServer(loadConfig(options), options.signal)

/**
 * Opens the way to the data folders of this machine: the server that holds them, or the services of this process.
 *
 * @throws {FaultlineError} CONFIG_INVALID; DATA_DIR_LOCKED where the access needs a lock that another process has.
 */
export async function openLocal(options: LocalOptions): Promise<Backend> {
  const { mayUseServer, apiKey, signal, note } = options
  if (!mayUseServer) return openServices(options)
  const config = loadConfig(options)
  const url = await findRunningServer(config, signal)
  if (url === null) return openServices(options)
  note(`Using the server at ${url}, which holds this data folder.`)
  const backend = createHttpBackend({ server: url, apiKey, clonesDir: config.clonedReposDir })
  return changingErrors(backend, error => withServerNamed(error, url))
}
