import { join } from 'node:path'
import { Semaphore } from '../core/semaphore.ts'
import { Availability } from './availability.ts'
import { checkRequest } from './check-request.ts'
import { sandboxAccount } from './jail/account.ts'
import { createConfinement, type Confinement } from './jail/confinement.ts'
import { startProblem, unavailable } from './jail/problem.ts'
import { createUnsafeHost } from './jail/unsafe-host.ts'
import { FaultlineError } from '../core/errors.ts'
import { MIB, type RunLimits } from './limits/limits.ts'
import { endOrphans } from './limits/orphans.ts'
import { LayerStore, PARTS, type LayerSize } from './layers/layer-store.ts'
import { PRUNE, PRUNE_ENV, pruneLists } from './layers/prune.ts'
import { cancelledBeforeStart, type Layer, type Outcome, type RunRequest, type RunResult } from './run.ts'
import type { SandboxOptions } from './sandbox-options.ts'
import { supervise } from './supervise.ts'
import { collectFiles, type Collected } from './workspace/collect.ts'
import { moveAway, sweepWorkspaces } from './workspace/remove.ts'
import { checkWorkspace, fillWorkspace, prepareWorkspace, type WorkspaceOwner } from './workspace/workspace.ts'

/** Whether programs can run, why not, and what would help. */
export interface SandboxState {
  available: boolean
  reason: string | null
  fix: string | null
  /** Who holds a program to its limit of memory: the kernel by a control group, or a watch. Null when none can run. */
  memoryLimit: 'kernel' | 'watched' | null
}

/** Runs programs in workspaces, confined. */
export interface Sandbox {
  /** Whether programs can run: tried out, and remembered for a while. */
  probe(): Promise<SandboxState>
  /**
   * Runs a program in a workspace. Whatever becomes of it is the result; two run at once, others wait. Nothing of it
   * runs any more when this resolves.
   *
   * @throws {FaultlineError} SANDBOX_UNAVAILABLE, or VALIDATION_FAILED for a request that cannot be met: nothing was
   * run.
   */
  run(request: RunRequest): Promise<RunResult>
  /** The regular files of a workspace, and what was left out. See `collectFiles`. */
  collect(
    dir: string,
    options?: { ignore?: readonly string[]; only?: readonly string[]; below?: string },
  ): Promise<Collected>
  /**
   * Writes files into a workspace, which is made when it is missing.
   *
   * @throws {FaultlineError} BAD_PATH.
   */
  fill(dir: string, files: ReadonlyMap<string, string | Uint8Array>): Promise<void>
  /**
   * Deletes a folder below WORKSPACES_DIR, whatever is in it; what runs there is ended first.
   *
   * @param options.later - Whether this may resolve as soon as the folder is out of its place. What then cannot be
   * deleted is left to the next start.
   */
  remove(dir: string, options?: { later?: boolean }): Promise<void>
  /** A layer that is there and whole; null where it has to be made. It stays for the next minutes. */
  openLayer(key: string): Promise<Layer | null>
  /**
   * Makes a layer of what an install left in two folders, `workspace` and `home`, below `folder`, which is gone then.
   * Layers that were used least lately go; none that a run works on.
   *
   * @throws {FaultlineError} ENVIRONMENT_FAILED: it is larger than the limit, or cannot be read.
   */
  keepLayer(key: string, made: MadeLayer): Promise<LayerSize>
  /** Deletes what a previous process left; with `keep` also folders of unknown jobs. Call it at start. */
  sweep(keep?: ReadonlySet<string>): Promise<void>
  /** Ends all runs, waits for them, and lets no further one begin. */
  close(): Promise<void>
}

/** What an install left. */
export interface MadeLayer {
  folder: string
  /** The files of the project that it got, which are not kept. */
  given: readonly string[]
  /** What all layers together may take. */
  limitBytes: number
  signal: AbortSignal
}

const RUNS_AT_ONCE = 2
const DISK_MB = 512
const PROCESSES = 128
const TRIAL_LIMIT_MS = 15_000
const PRUNE_LIMIT_MS = 120_000

type StartRequest = Omit<RunRequest, 'workspace' | 'limits' | 'layer'> & {
  workspace: string | null
  /** Folder of the layer. */
  layer?: string
}

async function start(confinement: Confinement, request: StartRequest, limits: RunLimits): Promise<Outcome> {
  const { workspace, signal, onOutput, readyWhen, layer = null, home = null } = request
  await using launch = await confinement.launch({
    argv: request.argv,
    env: request.env ?? {},
    workspace,
    limits,
    network: request.network ?? 'none',
    tools: request.tools ?? [],
    ecosystems: request.ecosystems,
    layer,
    home,
  })
  const folders = workspace === null ? [] : [workspace, ...launch.watched]
  return await supervise(launch.program, { limits, folders, copies: launch.copies, signal, onOutput, readyWhen })
}

interface RunUnderWay {
  workspace: string
  layer: string | null
  abort: AbortController
  done: Promise<unknown>
}

class LocalSandbox implements Sandbox {
  readonly #options: SandboxOptions
  readonly #owner: WorkspaceOwner
  readonly #confinement: Confinement
  readonly #availability: Availability
  readonly #permits = new Semaphore(RUNS_AT_ONCE)
  readonly #closing = new AbortController()
  readonly #running = new Set<RunUnderWay>()
  readonly #deleting = new Set<Promise<void>>()
  readonly #defaults: RunLimits
  readonly #layers: LayerStore

  constructor(options: SandboxOptions) {
    const { mode, workspacesDir, dataDir, memoryMb, timeoutMs } = options
    const account = mode === 'unsafe-host' ? null : sandboxAccount(process.getuid?.())
    const ownFolders = [dataDir, workspacesDir].filter(folder => folder !== undefined)
    this.#options = options
    this.#owner = { workspacesDir, account, ownFolders }
    this.#confinement = mode === 'unsafe-host' ? createUnsafeHost(options) : createConfinement({ ...options, account })
    this.#defaults = { timeoutMs, memoryMb, diskMb: DISK_MB, processes: PROCESSES }
    this.#layers = new LayerStore({
      workspacesDir,
      isInUse: key => [...this.#running].some(({ layer }) => layer === key),
    })
    this.#availability = new Availability({
      options,
      confinement: this.#confinement,
      account,
      ownFolders,
      tryOut: () => this.#tryOut(),
    })
  }

  async probe(): Promise<SandboxState> {
    const problem = await this.#availability.problem()
    if (problem !== null) return { available: false, ...problem, memoryLimit: null }
    const memoryLimit = this.#confinement.limitsMemory() ? 'kernel' : 'watched'
    return { available: true, reason: null, fix: null, memoryLimit }
  }

  async run(request: RunRequest): Promise<RunResult> {
    checkRequest(request)
    const abort = new AbortController()
    const signal = AbortSignal.any([request.signal, this.#closing.signal, abort.signal])
    const done = this.#runWithPermit({ ...request, signal })
    const workspace = checkWorkspace(this.#options.workspacesDir, request.workspace)
    const run = { workspace, layer: request.layer?.key ?? null, abort, done }
    this.#running.add(run)
    try {
      const result = await done
      const { stdout: _stdout, stderr: _stderr, ...end } = result
      this.#options.onRun?.(end)
      return result
    } finally {
      this.#running.delete(run)
    }
  }

  openLayer(key: string): Promise<Layer | null> {
    return this.#layers.open(key)
  }

  async keepLayer(key: string, { folder, given, limitBytes, signal }: MadeLayer): Promise<LayerSize> {
    const [workspace, home] = [join(folder, PARTS.workspace), join(folder, PARTS.home)]
    await this.fill(home, pruneLists(given))
    const pruned = await this.run({
      argv: ['/bin/bash', '-c', PRUNE],
      env: PRUNE_ENV,
      workspace,
      home,
      limits: { timeoutMs: PRUNE_LIMIT_MS, diskMb: Math.ceil(limitBytes / MIB) }, // those of a usual run are too small
      signal,
    })
    if (pruned.exitCode !== 0) {
      signal.throwIfAborted()
      throw new FaultlineError(
        'ENVIRONMENT_FAILED',
        `What was installed cannot be kept: ${(pruned.stderr || (pruned.killedBy ?? '')).slice(0, 300)}`,
      )
    }
    return await this.#layers.keep(key, folder, limitBytes)
  }

  collect(dir: string, options: Parameters<Sandbox['collect']>[1] = {}): Promise<Collected> {
    const { ignore, only, below } = options
    return collectFiles(dir, { ignore, only, below })
  }

  fill(dir: string, files: ReadonlyMap<string, string | Uint8Array>): Promise<void> {
    return fillWorkspace(this.#owner, dir, files)
  }

  async remove(dir: string, { later = false }: { later?: boolean } = {}): Promise<void> {
    const folder = checkWorkspace(this.#options.workspacesDir, dir)
    const inside = [...this.#running].filter(({ workspace }) => `${workspace}/`.startsWith(`${folder}/`))
    for (const { abort } of inside) abort.abort()
    await Promise.allSettled(inside.map(({ done }) => done))
    const deleteIt = await moveAway(this.#options.workspacesDir, folder)
    const deleted = deleteIt().finally(() => this.#deleting.delete(deleted))
    this.#deleting.add(deleted)
    if (later) deleted.catch(() => {})
    else await deleted
  }

  async sweep(keep?: ReadonlySet<string>): Promise<void> {
    endOrphans(this.#options.workspacesDir)
    await sweepWorkspaces(this.#options.workspacesDir, keep)
  }

  async close(): Promise<void> {
    this.#closing.abort()
    await Promise.allSettled([...this.#running].map(({ done }) => done))
    await Promise.allSettled(this.#deleting)
    await this.#availability.settled()
    this.#confinement.close()
  }

  async #runWithPermit(request: RunRequest): Promise<RunResult> {
    const refused = this.#availability.refusal()
    if (refused !== null) throw unavailable(refused)
    const sandboxed = this.#confinement.isolates
    const isPermitted = await this.#permits.acquire(request.signal).then(
      () => true,
      () => false, // it rejects for the signal alone
    )
    if (!isPermitted) return cancelledBeforeStart(sandboxed)
    try {
      await prepareWorkspace(this.#owner, request.workspace)
      if (request.home !== undefined) await prepareWorkspace(this.#owner, request.home)
      const layer = await this.#folderOf(request.layer)
      const limits = { ...this.#defaults, ...request.limits }
      if (layer !== undefined) limits.diskMb += await this.#copiedMb(request.layer)
      const { began, ...result } = await start(this.#confinement, { ...request, layer }, limits)
      if (!began && result.killedBy === null) {
        this.#availability.forget()
        throw unavailable(startProblem(result.stderr))
      }
      return { ...result, sandboxed }
    } finally {
      this.#permits.release()
    }
  }

  /** @throws {FaultlineError} ENVIRONMENT_FAILED: it is gone. */
  async #folderOf(layer: Layer | undefined): Promise<string | undefined> {
    if (layer === undefined) return undefined
    if ((await this.#layers.sizeOf(layer)) !== null) return this.#layers.folderOf(layer)
    throw new FaultlineError('ENVIRONMENT_FAILED', 'The environment of this run was deleted.', 'Start the job again.')
  }

  /** Megabytes of a layer that lie in the workspace before a program begins, where it cannot be mounted. */
  async #copiedMb(layer: Layer | undefined): Promise<number> {
    if (layer === undefined || (await this.#confinement.mountsLayers())) return 0
    const size = await this.#layers.sizeOf(layer)
    return Math.ceil((size?.bytes ?? 0) / MIB)
  }

  #tryOut(): Promise<Outcome> {
    return start(
      this.#confinement,
      { argv: ['/usr/bin/true'], workspace: null, signal: this.#closing.signal },
      { ...this.#defaults, timeoutMs: TRIAL_LIMIT_MS },
    )
  }
}

/** A sandbox on this machine; nothing is started and no folder made before the first run. */
export function createSandbox(options: SandboxOptions): Sandbox {
  return new LocalSandbox(options)
}
