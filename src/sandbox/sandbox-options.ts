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

/** What a sandbox is made of: where it works, with which limits, and who hears of its runs. */
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
  /** Called once for each run without a sandbox. */
  onUnsafeRun?: () => void
  /** Called once for each run that ended. */
  onRun?: (result: RunResult) => void
  /** Called for each connection through the registry proxy; never with a path. */
  onConnection?: (host: string, allowed: boolean) => void
  /** The Node that programs get; default: the one that runs this. */
  execPath?: string
  /** Where bubblewrap and setpriv are looked for. */
  programs?: Partial<Programs>
}
