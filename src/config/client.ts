// What the command line needs of the environment before it knows its command: no table of settings is loaded for it.
import { existsSync } from 'node:fs'
import module from 'node:module'
import { dirname, join } from 'node:path'
import envPaths from 'env-paths'
import { readEnvFile, withoutEmpty } from './env-files.ts'
import type { Variables } from './values.ts'

/** The folder that holds package.json: the checkout, or the installed package. */
export const PACKAGE_ROOT = dirname(dirname(import.meta.dirname))
/** A checkout keeps its data beside the code; an installed package must not write into node_modules. */
const IS_CHECKOUT = existsSync(join(PACKAGE_ROOT, 'src', 'config.ts'))
const { data: XDG_DATA, cache: XDG_CACHE, config: XDG_CONFIG } = envPaths('faultline', { suffix: '' })
/** Files with variables that the user or the operator has written, the one that wins last. */
export const ENV_FILES = [join(PACKAGE_ROOT, '.env'), join(XDG_CONFIG, '.env')]
/** The user's own folder for data, as XDG has it. */
export const USER_DATA = XDG_DATA
/** Where relative folders start unless another root is given. */
export const DEFAULT_ROOT = IS_CHECKOUT ? PACKAGE_ROOT : XDG_DATA

/** What the command line takes from the environment for itself. */
interface ClientEnvironment {
  /** Defaults of `--server` and `--api-key`. */
  server?: string
  apiKey?: string
  /** The user's program for long texts. */
  pager?: string
  /** The file that a step of GitHub Actions writes its summary to. */
  stepSummary?: string
  /** Whether it is shown where a bug happened. */
  debug: boolean
}

/**
 * What the command line takes from the environment for itself; no settings of the server. The server and the key for it
 * may also stand in the user's own files, never in one of the current folder, which would learn the key.
 */
export function clientEnvironment(
  env: Variables = process.env,
  files: readonly string[] = env === process.env ? ENV_FILES : [],
): ClientEnvironment {
  const { FAULTLINE_SERVER, FAULTLINE_API_KEY } = Object.assign({}, ...files.map(readEnvFile)) as Variables
  const own: Variables = { FAULTLINE_SERVER, FAULTLINE_API_KEY, ...withoutEmpty(env) }
  const {
    FAULTLINE_SERVER: server,
    FAULTLINE_API_KEY: apiKey,
    DEBUG: debug,
    PAGER: pager,
    GITHUB_STEP_SUMMARY: stepSummary,
  } = own
  return { server, apiKey, pager, stepSummary, debug: /^(?:1|true)$/i.test(debug ?? '') }
}

/** Flags that put all data folders below one folder: the user's own (XDG) one where none is given. */
export function dataFoldersBelow(folder: string = XDG_DATA): Variables {
  return {
    DATA_DIR: join(folder, 'data'),
    VECTOR_STORE_DIR: join(folder, 'vector_store'),
    CLONED_REPOS_DIR: join(folder, 'cloned_repos'),
  }
}

/**
 * Keeps the compiled code of this process, its threads and the processes that it forks in the user's own cache folder,
 * or in that of `NODE_COMPILE_CACHE`: compiled code in a shared one could be somebody else's. For modules that are
 * loaded from now on; nothing happens where `NODE_DISABLE_COMPILE_CACHE` is set.
 */
export function keepCompiledCode(): void {
  const folder = process.env.NODE_COMPILE_CACHE ?? join(XDG_CACHE, 'compile')
  const { directory } = module.enableCompileCache(folder)
  if (directory !== undefined) process.env.NODE_COMPILE_CACHE = folder
}

/** Malloc then maps each large buffer on its own, and gives back at once what is freed at the end of its heap. */
const MAPPED = { MALLOC_MMAP_THRESHOLD_: '65536', MALLOC_TRIM_THRESHOLD_: '131072' }

/**
 * The variables of a process that is not to have an arena of malloc for each thread: that halves its memory. What
 * `npm start` sets for the server's own process, through which large buffers only pass, would cost those that make
 * indexes a tenth of their time.
 */
export function fewArenas(
  { MALLOC_MMAP_THRESHOLD_: _mapped, MALLOC_TRIM_THRESHOLD_: _trimmed, ...env }: NodeJS.ProcessEnv = process.env,
): NodeJS.ProcessEnv {
  return { ...env, MALLOC_ARENA_MAX: '2' }
}

/** As `fewArenas`, for a process that stays: what it frees goes back to the machine. */
export const littleKept = (env: NodeJS.ProcessEnv = process.env): NodeJS.ProcessEnv => ({
  ...fewArenas(env),
  ...MAPPED,
})
