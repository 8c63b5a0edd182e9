import { FaultlineError } from '../core/errors.ts'
import { cancelledBeforeStart } from '../sandbox/run.ts'
import type { Sandbox } from '../sandbox/sandbox.ts'
import { WORKER_THREADS, type ThreadStarter } from '../threads/entry.ts'
import { remoteOf } from '../threads/rpc.ts'
import type { SandboxNotices, SandboxWorkerData } from '../threads/sandbox-worker.ts'

/** What the process that runs programs is started with. */
export interface SandboxProcessOptions extends SandboxWorkerData, SandboxNotices {
  /** Gets the reason why the process ended that was not to end; the next call starts another. */
  onCrash: (error: unknown) => void
}

/**
 * A sandbox, as `createSandbox` has it, in the process that starts programs, which the first call starts. When that
 * process breaks down, its jails and the calls under way end with it.
 */
export function startSandbox(
  { onUnsafeRun, onRun, onConnection, onCrash, ...workerData }: SandboxProcessOptions,
  starter: ThreadStarter = WORKER_THREADS,
): Sandbox {
  const cancelled = cancelledBeforeStart(workerData.mode !== 'unsafe-host')
  const remote = remoteOf<Sandbox, SandboxNotices>(() => starter.process('sandbox-worker', workerData), {
    onCrash,
    repeatable: ['probe', 'collect', 'remove', 'sweep', 'openLayer'],
    recover: 'sweep',
    notices: { onUnsafeRun, onRun, onConnection },
  })
  const { run, collect, close } = remote
  let hasEnded = false

  const own: Pick<Sandbox, 'run' | 'collect' | 'close'> = {
    async run(request) {
      if (request.signal.aborted || hasEnded) return cancelled
      try {
        return await run(request)
      } catch (error) {
        if (hasEnded && error instanceof FaultlineError && error.code === 'SHUTTING_DOWN') return cancelled
        throw error
      }
    },
    async collect(...args) {
      const { files, skipped } = await collect(...args)
      // what was copied may be no Buffer any more
      const asBuffer = ({ buffer, byteOffset, byteLength }: Uint8Array) => Buffer.from(buffer, byteOffset, byteLength)
      return { files: files.map(({ path, content }) => ({ path, content: asBuffer(content) })), skipped }
    },
    close() {
      hasEnded = true
      return close()
    },
  }
  return Object.assign(remote, own)
}
