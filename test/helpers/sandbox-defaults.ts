import type { SandboxOptions } from '../../src/sandbox/sandbox-options.ts'

/** Options of a sandbox that has nothing of this machine. */
export const SANDBOX_OPTIONS: Omit<SandboxOptions, 'workspacesDir'> = {
  mode: 'auto',
  loopbackOnly: true,
  memoryMb: 512,
  timeoutMs: 60_000,
  registries: [],
  registryEnv: {},
  allowPrivateHosts: false,
  home: '/nonexistent',
}
