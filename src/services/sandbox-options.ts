import { homedir } from 'node:os'
import { isLoopback, type Config } from '../config.ts'
import { configuredRegistries } from '../sandbox/network/registries.ts'
import type { SandboxOptions } from '../sandbox/sandbox-options.ts'
import type { Log } from './log.ts'
import type { SandboxProcessOptions } from './sandbox.ts'

/** What the configuration says of the sandbox. */
export function sandboxOptions(config: Config): SandboxOptions {
  const { mode, memoryMb, timeoutMs, registries, registryVariables } = config.sandbox
  const configured = configuredRegistries(registryVariables, homedir())
  return {
    mode,
    memoryMb,
    timeoutMs,
    workspacesDir: config.workspacesDir,
    dataDir: config.dataDir,
    loopbackOnly: isLoopback(config.host),
    registries: registries ?? configured.hosts,
    isListComplete: registries !== null,
    registryEnv: configured.env,
    allowPrivateHosts: config.allowPrivateHosts,
    home: homedir(),
  }
}

/** The same for the sandbox of a server: what it does goes to the log and is counted. */
export const sandboxProcessOptions = (
  config: Config,
  { log, onRun }: { log: Log } & Pick<SandboxProcessOptions, 'onRun'>,
): SandboxProcessOptions => ({
  ...sandboxOptions(config),
  onRun,
  onUnsafeRun: () => log.warn({}, 'a program is run without any isolation (SANDBOX=unsafe-host)'),
  onConnection: (host, allowed) => log.info({ host, allowed }, 'a program asked for a package registry'),
  onCrash: error =>
    log.error(
      { err: error },
      'the process that runs programs broke down, and they ended with it; the next call starts another',
    ),
})
