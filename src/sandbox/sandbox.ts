import { closedFolder, sandboxAccount } from './jail/account.ts'
import { collectFiles, type Collected } from './workspace/collect.ts'
import { createConfinement, type Confinement } from './jail/confinement.ts'
import type { RunLimits } from './limits/limits.ts'
import { NEVER_BEGAN } from './never-began.ts'
import {
  closedWorkspaces,
  startProblem,
  SWITCHED_OFF,
  unavailable,
  UNSAFE_AS_ROOT,
  UNSAFE_BEYOND_LOOPBACK,
  type SandboxProblem,
} from './jail/problem.ts'
import { endOrphans } from './limits/orphans.ts'
import type { ReadyWhen } from './ready.ts'
import { removeFolder, sweepWorkspaces } from './workspace/remove.ts'
import { supervise, type OutputListener, type Outcome } from './supervise.ts'
import { createTurns } from './limits/turns.ts'
import { checkRequest } from './check-request.ts'
import { createUnsafeHost } from './jail/unsafe-host.ts'
import { checkWorkspace, fillWorkspace, prepareWorkspace, type WorkspaceOwner } from './workspace/workspace.ts'

export type { OutputListener } from './supervise.ts'

export type SandboxMode = 'auto' | 'none' | 'unsafe-host'

export interface SandboxOptions {
  mode: SandboxMode
  /** All workspaces lie below it; made when it is first needed. */
  workspacesDir: string
  /**
   * A folder of the server's own that may be on the way to it: opened for passing, so what is secret in it has to be
   * closed itself.
   */
  dataDir?: string
  /** Whether only programs of this machine can reach the server. */
  loopbackOnly: boolean
  memoryMb: number
  timeoutMs: number
  /** Hosts, with or without a port, that runs with `network: 'registries'` may reach. */
  registries: readonly string[]
  /** Variables that tell npm and pip which registries to use. */
  registryEnv: Readonly<Record<string, string>>
  allowPrivateHosts: boolean
  /** The user's own folder, where version managers keep toolchains. */
  home: string
  /** Told once for each run without a sandbox. */
  onUnsafeRun?: () => void
  /** Told once for each run that came to an end. */
  onRun?: (result: RunResult) => void
  /** Told for each connection through the registry proxy; never a path. */
  onConnection?: (host: string, allowed: boolean) => void
  /** The Node that programs get; default: the one that runs this. */
  execPath?: string
  /** Where bubblewrap and setpriv are looked for. */
  programs?: Partial<Programs>
}

/** Where programs are looked for: fixed places, never the working folder or PATH. */
export interface Programs {
  bwrap: string[]
  setpriv: string[]
}

export interface RunRequest {
  /** The program and its arguments; no shell looks at them. */
  argv: readonly string[]
  /** A folder below WORKSPACES_DIR; seen by the program as /workspace. */
  workspace: string
  /** Added to PATH, HOME, TMPDIR, LANG, CI. Every program of the jail can read it: no secrets. */
  env?: Readonly<Record<string, string>>
  limits?: Partial<RunLimits>
  /** `registries`: package registries through the proxy. Default: nothing. */
  network?: 'none' | 'registries'
  /** Gets the first MiB of each stream as it comes. What it throws ends the program, and is thrown by `run`. */
  onOutput?: OutputListener
  /** Ends the program as soon as this is met; the result says `ready`. */
  readyWhen?: ReadyWhen
  signal: AbortSignal
}

export interface RunResult extends Omit<Outcome, 'began'> {
  /** False for a run with SANDBOX=unsafe-host. */
  sandboxed: boolean
}

export interface SandboxState {
  available: boolean
  reason: string | null
  fix: string | null
}

export interface Sandbox {
  /** Whether programs can be run: tries it, and remembers the answer for a while. */
  probe(): Promise<SandboxState>
  /**
   * Runs a program in a workspace. Whatever becomes of it is the result; two run at once, others wait for their turn.
   * Nothing of it runs any more when this resolves.
   *
   * @throws {FaultlineError} SANDBOX_UNAVAILABLE, or VALIDATION_FAILED for a request that cannot be met: nothing was
   * run.
   */
  run(request: RunRequest): Promise<RunResult>
  /** The regular files of a workspace, and what was left out. See `collectFiles`. */
  collect(dir: string, options?: { ignore?: readonly string[] }): Promise<Collected>
  /** Writes files into a workspace, which is made when it is missing. @throws {FaultlineError} BAD_PATH. */
  fill(dir: string, files: ReadonlyMap<string, string | Uint8Array>): Promise<void>
  /** Deletes a folder below WORKSPACES_DIR, whatever is in it; what runs there is ended first. */
  remove(dir: string): Promise<void>
  /** Deletes what a former process left; with `keep` also the folders of nobody. For the start. */
  sweep(keep?: ReadonlySet<string>): Promise<void>
  /** Ends all runs, waits for them, and lets no further one begin. */
  close(): Promise<void>
}

const AT_ONCE = 2
const DISK_MB = 512
const PROCESSES = 128
const REMEMBER_GOOD_MS = 60_000
const REMEMBER_BAD_MS = 5_000
const PROBE_LIMIT_MS = 5_000

async function start(
  confinement: Confinement,
  request: Omit<RunRequest, 'workspace' | 'limits'> & { workspace: string | null },
  limits: RunLimits,
): Promise<Outcome> {
  const { workspace, signal, onOutput, readyWhen } = request
  await using launch = await confinement.launch({
    argv: request.argv,
    env: request.env ?? {},
    workspace,
    limits,
    network: request.network ?? 'none',
  })
  return await supervise(launch.program, { limits, workspace, signal, onOutput, readyWhen })
}

export function createSandbox(options: SandboxOptions): Sandbox {
  const { mode, workspacesDir, memoryMb, timeoutMs } = options
  const uid = process.getuid?.()
  const account = mode === 'unsafe-host' ? null : sandboxAccount(uid)
  const owner: WorkspaceOwner = {
    workspacesDir,
    account,
    ownFolders: [options.dataDir, workspacesDir].filter(folder => folder !== undefined),
  }
  const confinement = mode === 'unsafe-host' ? createUnsafeHost(options) : createConfinement({ ...options, account })
  const turns = createTurns(AT_ONCE)
  const closing = new AbortController()
  const running = new Set<{ workspace: string; abort: AbortController; done: Promise<unknown> }>()
  let remembered: { problem: Promise<SandboxProblem | null>; at: number; isGood: boolean } | null = null

  const defaults: RunLimits = { timeoutMs, memoryMb, diskMb: DISK_MB, processes: PROCESSES }

  /** What can be known without starting anything. */
  function refusal(): SandboxProblem | null {
    if (mode === 'none') return SWITCHED_OFF
    if (mode === 'unsafe-host' && uid === 0) return UNSAFE_AS_ROOT
    if (mode === 'unsafe-host' && !options.loopbackOnly) return UNSAFE_BEYOND_LOOPBACK
    if (closedFolder(`${workspacesDir}/job`, account, owner.ownFolders) !== null) {
      return closedWorkspaces(account?.uid ?? uid)
    }
    return confinement.missing()
  }

  async function tryOut(): Promise<SandboxProblem | null> {
    const refused = refusal()
    if (refused !== null) return refused
    const outcome = await start(
      confinement,
      { argv: ['/usr/bin/true'], workspace: null, signal: closing.signal },
      { ...defaults, timeoutMs: PROBE_LIMIT_MS },
    )
    return outcome.began && outcome.exitCode === 0
      ? null
      : startProblem(outcome.timedOut ? 'it took too long' : outcome.stderr)
  }

  function problem(): Promise<SandboxProblem | null> {
    const now = performance.now()
    if (remembered !== null && now - remembered.at < (remembered.isGood ? REMEMBER_GOOD_MS : REMEMBER_BAD_MS)) {
      return remembered.problem
    }
    const found = { problem: tryOut(), at: now, isGood: true }
    remembered = found
    found.problem.then(
      result => {
        found.isGood = result === null
      },
      () => {
        found.isGood = false
      },
    )
    return found.problem
  }

  async function runInTurn(request: RunRequest): Promise<RunResult> {
    const refused = refusal()
    if (refused !== null) throw unavailable(refused)
    const { signal } = request
    const release = await turns.take(signal)
    if (release === null) return { ...NEVER_BEGAN, sandboxed: confinement.isolates }
    try {
      await prepareWorkspace(owner, request.workspace)
      const { began, ...result } = await start(confinement, { ...request, signal }, { ...defaults, ...request.limits })
      if (!began && result.killedBy === null) {
        remembered = null
        throw unavailable(startProblem(result.stderr))
      }
      return { ...result, sandboxed: confinement.isolates }
    } finally {
      release()
    }
  }

  return {
    async probe() {
      const found = await problem()
      return { available: found === null, reason: found?.reason ?? null, fix: found?.fix ?? null }
    },
    async run(request) {
      checkRequest(request)
      const abort = new AbortController()
      const done = runInTurn({ ...request, signal: AbortSignal.any([request.signal, closing.signal, abort.signal]) })
      const run = { workspace: checkWorkspace(workspacesDir, request.workspace), abort, done }
      running.add(run)
      try {
        const result = await done
        options.onRun?.(result)
        return result
      } finally {
        running.delete(run)
      }
    },
    collect: (dir, { ignore } = {}) => collectFiles(dir, { ignore }),
    fill: (dir, files) => fillWorkspace(owner, dir, files),
    async remove(dir) {
      const folder = checkWorkspace(workspacesDir, dir)
      const inside = [...running].filter(({ workspace }) => `${workspace}/`.startsWith(`${folder}/`))
      for (const { abort } of inside) abort.abort()
      await Promise.allSettled(inside.map(({ done }) => done))
      await removeFolder(workspacesDir, folder)
    },
    async sweep(keep) {
      endOrphans(workspacesDir)
      await sweepWorkspaces(workspacesDir, keep)
    },
    async close() {
      closing.abort()
      await Promise.allSettled([...[...running].map(({ done }) => done), remembered?.problem])
    },
  }
}
