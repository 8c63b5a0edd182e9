import { parentPort, workerData } from 'node:worker_threads'
import type { OutputListener, RunRequest } from '../sandbox/run.ts'
import { createSandbox } from '../sandbox/sandbox.ts'
import type { SandboxOptions } from '../sandbox/sandbox-options.ts'
import { serveCalls, type ServedOptions } from './rpc.ts'

/** Composition root of the thread that starts programs and watches them. Its jails end with it. */
export type SandboxWorkerData = Omit<SandboxOptions, 'onUnsafeRun' | 'onRun' | 'onConnection'>

/** What it says unasked. */
export type SandboxNotice = { unsafeRun: true } | { connection: { host: string; allowed: boolean } }

/** What a program printed, as it is told while the program runs. */
export type Printed = Parameters<OutputListener>

export type SandboxCalls = ReturnType<typeof sandboxCalls>

function sandboxCalls(options: SandboxOptions) {
  const sandbox = createSandbox(options)
  return {
    probe: () => sandbox.probe(),
    run: (
      { tellsOutput, ...request }: Omit<RunRequest, 'signal' | 'onOutput'> & { tellsOutput: boolean },
      { signal, onProgress }: ServedOptions,
    ) =>
      sandbox.run({
        ...request,
        signal,
        onOutput: tellsOutput ? (...printed: Printed) => onProgress(printed) : undefined,
      }),
    collect: ({ dir, ignore }: { dir: string; ignore: readonly string[] | undefined }) =>
      sandbox.collect(dir, { ignore }),
    fill: ({ dir, files }: { dir: string; files: ReadonlyMap<string, string | Uint8Array> }) =>
      sandbox.fill(dir, files),
    remove: (dir: string) => sandbox.remove(dir),
    sweep: (keep: ReadonlySet<string> | undefined) => sandbox.sweep(keep),
    close: () => sandbox.close(),
  }
}

const notice = (said: SandboxNotice): void => {
  parentPort?.postMessage(said)
}

if (parentPort !== null) {
  serveCalls(
    parentPort,
    sandboxCalls({
      ...(workerData as SandboxWorkerData),
      onUnsafeRun: () => notice({ unsafeRun: true }),
      onConnection: (host, allowed) => notice({ connection: { host, allowed } }),
    }),
  )
}
