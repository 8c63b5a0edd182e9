import { existsSync } from 'node:fs'
import { FaultlineError } from '../../core/errors.ts'
import { closedFolder, type Account } from './account.ts'
import {
  becomeArgv,
  copyBefore,
  GATE,
  gateWithBridge,
  homeOf,
  jailArgv,
  type JailPlan,
  MEMORY_FOLDERS_BYTES,
  passwdOf,
} from './command-line.ts'
import { programEnv } from './environment.ts'
import { startJail } from './jail.ts'
import type { Launched } from './launched.ts'
import { limiterArgv, MIB, ownHardLimits, type RunLimits } from '../limits/limits.ts'
import { findMemoryGroups, type MemoryGroup, type MemoryGroups } from './memory-groups.ts'
import { reachableNode } from './node-copy.ts'
import { NO_BUBBLEWRAP, NO_FILTER, NO_SETPRIV, type SandboxProblem } from './problem.ts'
import { BRIDGE, startRegistryProxy } from '../network/registry-proxy.ts'
import { canOverlay, mountLayer, type Mounts } from '../layers/mounts.ts'
import { whyUnreachable } from '../network/egress-rules.ts'
import { hostsFor, type Ecosystem } from '../network/ecosystems.ts'
import { egressEnv } from '../network/registries.ts'
import type { Network } from '../run.ts'
import type { SandboxOptions } from '../sandbox-options.ts'
import { seccompFilter } from './seccomp.ts'
import { findToolchains, JAIL_NODE, type Toolchain } from './toolchains.ts'

/** How a launch reaches package registries, or nothing. */
interface Connection {
  /** The script that runs before the program; see `GATE`. */
  gate: string
  env: Readonly<Record<string, string>>
  egressSocket: string | null
}

/** A program and the resources it gets. */
export interface LaunchRequest {
  argv: readonly string[]
  env: Readonly<Record<string, string>>
  /** null: a folder in memory. */
  workspace: string | null
  limits: RunLimits
  network: Network
  /** Folders and files that are seen read-only in the same places. */
  tools: readonly string[]
  ecosystems?: readonly Ecosystem[]
  /** Folder of the layer to work on. */
  layer: string | null
  /** Folder for HOME; a layer brings its own. */
  home: string | null
}

/** A program that was started, and what is disposed of after it. */
export interface Launch extends AsyncDisposable {
  program: Launched
  /** Folders of the launch that grow with what the program writes, beside its workspace. */
  watched: readonly string[]
  /** Whether a layer is copied before the program begins. */
  copies?: boolean
}

/** A way to run programs: in a jail, or unprotected. */
export interface Confinement {
  /** Whether it keeps programs from anything. */
  readonly isolates: boolean
  /** What this machine lacks for it; starts nothing. */
  missing(): SandboxProblem | null
  launch(request: LaunchRequest): Promise<Launch>
  /** Whether layers are mounted; else each run gets a copy. Tried out once. */
  mountsLayers(): Promise<boolean>
  /** Whether the kernel holds a program to its limit of memory; else a sum is taken. Known after the first launch. */
  limitsMemory(): boolean
  /** Gives back what launches share; nothing runs any more. */
  close(): void
}

/** What a program sees as its workspace and HOME; see `mountLayer`. */
type Folders = Pick<JailPlan, 'workspace' | 'home' | 'before' | 'copied'> & Pick<Mounts, 'watched'>

const BWRAP_PLACES = ['/usr/bin/bwrap', '/usr/local/bin/bwrap', '/bin/bwrap']
const SETPRIV_PLACES = ['/usr/bin/setpriv', '/bin/setpriv']

/** The toolchains without those in a closed home, which would keep the jail from starting. */
async function reachableToolchains({
  home,
  workspacesDir,
  account,
  execPath = process.execPath,
}: Pick<SandboxOptions, 'home' | 'workspacesDir' | 'execPath'> & { account: Account | null }): Promise<Toolchain[]> {
  const isOpen = (path: string) => closedFolder(path, account) === null
  const node = isOpen(execPath) ? execPath : await reachableNode(workspacesDir, execPath)
  return findToolchains({ home, execPath: node }).filter(({ binds }) => binds.every(({ from }) => isOpen(from)))
}

/** Runs programs with bubblewrap in namespaces of their own. */
export function createConfinement(options: SandboxOptions & { account: Account | null }): Confinement {
  const { account, programs } = options
  const seccomp = seccompFilter(process.arch)
  const hardLimits = ownHardLimits()
  let toolchains: Toolchain[] | null = null
  let groups: MemoryGroups | null | undefined
  const place = (places: readonly string[]) => places.find(path => existsSync(path)) ?? null
  const bwrapPlace = () => place(programs?.bwrap ?? BWRAP_PLACES)
  const setprivPlace = () => place(programs?.setpriv ?? SETPRIV_PLACES)

  function takeGroup({ memoryMb }: RunLimits): MemoryGroup | null {
    if (groups === undefined) groups = findMemoryGroups()
    return groups?.take(memoryMb * MIB + MEMORY_FOLDERS_BYTES) ?? null
  }

  const becoming = () => {
    const setpriv = setprivPlace()
    return account === null || setpriv === null ? null : { ...account, setpriv }
  }
  let mounting: Promise<boolean> | undefined
  const mountsLayers = () =>
    (mounting ??= canOverlay({ workspacesDir: options.workspacesDir, account }, becomeArgv(becoming())))

  /** The folders of a launch. */
  async function foldersOf({ layer, workspace, home }: LaunchRequest, held: AsyncDisposableStack): Promise<Folders> {
    if (layer === null || workspace === null) {
      return { workspace, home, before: [], copied: null, watched: home === null ? [] : [home] }
    }
    const { workspacesDir } = options
    return held.use(await mountLayer({ workspacesDir, account, layer, workspace, overlay: await mountsLayers() }))
  }

  /** What a launch gets for its network; the proxy lives as long as the rest that is held for it. */
  async function connectionFor(
    { network, ecosystems }: LaunchRequest,
    held: AsyncDisposableStack,
  ): Promise<Connection> {
    if (network === 'none') return { gate: GATE, env: {}, egressSocket: null }
    if (typeof network === 'object') return { gate: gateWithBridge(JAIL_NODE), env: {}, egressSocket: network.socket }
    const { isListComplete = false } = options
    const registries = hostsFor(ecosystems, { ...options, isListComplete })
    const unreachable = ecosystems === undefined ? null : await whyUnreachable({ ...options, registries })
    if (unreachable !== null) {
      throw new FaultlineError(
        'ENVIRONMENT_FAILED',
        `No package registry can be reached: ${unreachable}.`,
        'SANDBOX_REGISTRIES names those that may be; ALLOW_PRIVATE_HOSTS allows addresses that are not public.',
      )
    }
    const proxy = held.adopt(await startRegistryProxy({ ...options, registries }), one => one.close())
    const env = egressEnv({ ...options, registries })
    return { gate: gateWithBridge(JAIL_NODE), env, egressSocket: proxy.socket }
  }

  return {
    isolates: true,
    limitsMemory: () => groups !== null && groups !== undefined,
    close: () => groups?.close(),
    missing() {
      if (bwrapPlace() === null) return NO_BUBBLEWRAP
      if (account !== null && setprivPlace() === null) return NO_SETPRIV
      return seccomp === null ? NO_FILTER : null
    },
    mountsLayers,
    async launch(request) {
      const { argv, env, workspace, limits } = request
      const [bwrap, setpriv] = [bwrapPlace(), setprivPlace()]
      if (bwrap === null || seccomp === null || (account !== null && setpriv === null)) {
        throw new Error('the caller looks for what is missing first')
      }
      // a trial needs none, and must not write anything
      if (workspace !== null) toolchains ??= await reachableToolchains(options)
      const binds = request.tools.map(path => ({ from: path, to: path }))
      const given = [...(toolchains ?? []), { name: 'tools', binds, links: [], path: [] }]
      await using held = new AsyncDisposableStack()
      const { watched, ...folders } = await foldersOf(request, held)
      const { home, copied } = folders
      const connection = await connectionFor(request, held)
      const gate = copied === null ? connection.gate : copyBefore(connection.gate)
      const group = takeGroup(limits)
      held.defer(() => group?.release())
      const program = startJail(
        jailArgv({
          bwrap,
          account: becoming(),
          ...folders,
          toolchains: given,
          env: programEnv({
            path: given.flatMap(({ path }) => path),
            memoryMb: limits.memoryMb,
            env: { ...connection.env, ...env },
            home: homeOf(home),
          }),
          egressSocket: connection.egressSocket,
          command: [...limiterArgv(limits, hardLimits), '/bin/bash', '-c', gate, 'bash', ...argv],
        }),
        { seccomp, passwd: passwdOf(home), bridge: BRIDGE, group },
      )
      const untilEnd = held.move()
      return { program, watched, copies: copied !== null, [Symbol.asyncDispose]: () => untilEnd.disposeAsync() }
    },
  }
}
