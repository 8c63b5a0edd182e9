import type { RunResult } from './run.ts'

/**
 * `auto`: bubblewrap, or nothing is executed. `none`: nothing is executed. `unsafe-host`: programs run as the server's
 * user, without isolation.
 */
export type SandboxMode = 'auto' | 'none' | 'unsafe-host'

/** Where programs are looked for: fixed places, never the working folder or PATH. */
export interface Programs {
  bwrap: string[]
  setpriv: string[]
}

/** Where a sandbox works, with which limits, and what is called for its runs. */
export interface SandboxOptions {
  mode: SandboxMode
  /** The folder of all workspaces; made when it is first needed. */
  workspacesDir: string
  /**
   * A folder of the server's own that may be on the way to it. It is opened for passing, so secrets in it must be
   * closed themselves.
   */
  dataDir?: string
  /** Whether only programs of this machine can reach the server. */
  loopbackOnly: boolean
  memoryMb: number
  timeoutMs: number
  /** Hosts, with or without a port, that runs with `network: 'registries'` may reach. */
  registries: readonly string[]
  /** Whether these are all, whatever ecosystem a run is of; default: other ecosystems have their public ones. */
  isListComplete?: boolean
  /** Variables that make npm and pip use these registries. */
  registryEnv: Readonly<Record<string, string>>
  allowPrivateHosts: boolean
  /** The user's own folder, where version managers keep toolchains. */
  home: string
  /** Called once for each run without a sandbox. */
  onUnsafeRun?: () => void
  /** Called once for each run that ended; without what it printed, which may be megabytes. */
  onRun?: (result: Omit<RunResult, 'stdout' | 'stderr'>) => void
  /** Called for each connection through the registry proxy; never with a path. */
  onConnection?: (host: string, allowed: boolean) => void
  /** The Node that programs get; default: the one that runs this. */
  execPath?: string
  /** Where bubblewrap and setpriv are looked for. */
  programs?: Partial<Programs>
}
