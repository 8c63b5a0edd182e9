import { existsSync } from 'node:fs'
import { closedFolder, type Account } from './account.ts'
import { GATE, gateWithBridge, jailArgv } from './command-line.ts'
import { programEnv } from './environment.ts'
import { startJail } from './jail.ts'
import type { Launched } from './launched.ts'
import { limiterArgv, ownHardLimits, type RunLimits } from '../limits/limits.ts'
import { reachableNode } from './node-copy.ts'
import { NO_BUBBLEWRAP, NO_FILTER, NO_SETPRIV, type SandboxProblem } from './problem.ts'
import { BRIDGE, startRegistryProxy, type RegistryProxy } from '../network/registry-proxy.ts'
import { egressEnv } from '../network/registries.ts'
import type { SandboxOptions } from '../sandbox-options.ts'
import { seccompFilter } from './seccomp.ts'
import { findToolchains, JAIL_NODE, type Toolchain } from './toolchains.ts'

/** A program and the resources it gets. */
export interface LaunchRequest {
  argv: readonly string[]
  env: Readonly<Record<string, string>>
  /** null: a folder in memory. */
  workspace: string | null
  limits: RunLimits
  network: 'none' | 'registries'
}

/** A program that was started, and what is disposed of after it. */
export interface Launch extends AsyncDisposable {
  program: Launched
}

/** A way to run programs: in a jail, or unprotected. */
export interface Confinement {
  /** Whether it keeps programs from anything. */
  readonly isolates: boolean
  /** What this machine lacks for it; starts nothing. */
  missing(): SandboxProblem | null
  launch(request: LaunchRequest): Promise<Launch>
}

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
  const place = (places: readonly string[]) => places.find(path => existsSync(path)) ?? null
  const bwrapPlace = () => place(programs?.bwrap ?? BWRAP_PLACES)
  const setprivPlace = () => place(programs?.setpriv ?? SETPRIV_PLACES)

  return {
    isolates: true,
    missing() {
      if (bwrapPlace() === null) return NO_BUBBLEWRAP
      if (account !== null && setprivPlace() === null) return NO_SETPRIV
      return seccomp === null ? NO_FILTER : null
    },
    async launch({ argv, env, workspace, limits, network }) {
      const [bwrap, setpriv] = [bwrapPlace(), setprivPlace()]
      if (bwrap === null || seccomp === null || (account !== null && setpriv === null)) {
        throw new Error('the caller looks for what is missing first')
      }
      // a trial needs none, and must not write anything
      if (workspace !== null) toolchains ??= await reachableToolchains(options)
      const given = toolchains ?? []
      const proxy: RegistryProxy | null = network === 'none' ? null : await startRegistryProxy(options)
      const gate = proxy === null ? GATE : gateWithBridge(JAIL_NODE)
      const registryEnv = proxy === null ? {} : egressEnv(options)
      const program = startJail(
        jailArgv({
          bwrap,
          account: account === null || setpriv === null ? null : { ...account, setpriv },
          workspace,
          toolchains: given,
          env: programEnv({
            path: given.flatMap(({ path }) => path),
            memoryMb: limits.memoryMb,
            env: { ...registryEnv, ...env },
          }),
          egressSocket: proxy?.socket ?? null,
          command: [...limiterArgv(limits, hardLimits), '/bin/bash', '-c', gate, 'bash', ...argv],
        }),
        { seccomp, bridge: BRIDGE },
      )
      return {
        program,
        async [Symbol.asyncDispose]() {
          await proxy?.close()
        },
      }
    },
  }
}
