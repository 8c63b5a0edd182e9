import { Worker } from 'node:worker_threads'
import { FaultlineError } from '../core/errors.ts'
import { cancelledBeforeStart } from '../sandbox/run.ts'
import type { Sandbox } from '../sandbox/sandbox.ts'
import type { SandboxOptions } from '../sandbox/sandbox-options.ts'
import type { Printed, SandboxCalls, SandboxNotice, SandboxWorkerData } from './sandbox-worker.ts'
import { callerOf } from './rpc.ts'

// `tsc` rewrites the suffix of imports, not of URLs: the sources run as .ts, the package as .js.
const SUFFIX = import.meta.url.endsWith('.ts') ? 'ts' : 'js'

export interface SandboxThreadOptions
  extends SandboxWorkerData, Pick<SandboxOptions, 'onUnsafeRun' | 'onRun' | 'onConnection'> {
  /** Told why the thread ended that was not to end; the next call starts another. */
  onCrash: (error: unknown) => void
}

/**
 * A sandbox, as `createSandbox` has it, in a thread of its own, which the first call starts: to start a program, to
 * read a flood of output and to look through hundreds of processes are nothing for the thread of HTTP. When the thread
 * breaks down, its jails and the calls under way end with it.
 */
export function startSandboxThread({
  onUnsafeRun,
  onRun,
  onConnection,
  onCrash,
  ...workerData
}: SandboxThreadOptions): Sandbox {
  const neverBegan = cancelledBeforeStart(workerData.mode !== 'unsafe-host')
  let hasEnded = false

  function start(): Worker {
    const thread = new Worker(new URL(`./sandbox-worker.${SUFFIX}`, import.meta.url), { workerData })
    return thread.on('message', (message: SandboxNotice | object) => {
      if ('unsafeRun' in message) onUnsafeRun?.()
      if ('connection' in message) onConnection?.(message.connection.host, message.connection.allowed)
    })
  }
  const { call, end } = callerOf<SandboxCalls>(start, { onCrash })

  const run: Sandbox['run'] = async ({ signal: wanted, onOutput, ...request }) => {
    const broken = new AbortController()
    const signal = AbortSignal.any([wanted, broken.signal])
    const tell = (printed: Printed) => {
      if (broken.signal.aborted) return
      try {
        onOutput?.(...printed)
      } catch (error) {
        broken.abort(error)
      }
    }
    if (signal.aborted || hasEnded) return neverBegan
    try {
      const result = await call<'run', Printed>(
        'run',
        { ...request, tellsOutput: onOutput !== undefined },
        { signal, onProgress: tell },
      )
      onRun?.(result)
      broken.signal.throwIfAborted()
      return result
    } catch (error) {
      if (hasEnded && error instanceof FaultlineError && error.code === 'SHUTTING_DOWN') return neverBegan
      throw error
    }
  }

  return {
    run,
    probe: () => call('probe', undefined),
    async collect(dir, { ignore } = {}) {
      const { files, skipped } = await call('collect', { dir, ignore })
      return {
        files: files.map(({ path, content }) => ({
          path,
          content: Buffer.from(content.buffer, content.byteOffset, content.byteLength),
        })),
        skipped,
      } // what comes from a thread is no Buffer any more
    },
    fill: (dir, files) => call('fill', { dir, files }),
    remove: dir => call('remove', dir),
    sweep: keep => call('sweep', keep),
    close() {
      hasEnded = true
      return end('close')
    },
  }
}
