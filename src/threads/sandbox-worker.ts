import { parentPort, workerData } from 'node:worker_threads'
import { createSandbox } from '../sandbox/sandbox.ts'
import type { SandboxOptions } from '../sandbox/sandbox-options.ts'
import { noticeTo, serve } from './rpc.ts'

export type SandboxNotices = Pick<SandboxOptions, 'onUnsafeRun' | 'onRun' | 'onConnection'>

/** Composition root of the thread that starts programs and watches them. Its jails end with it. */
export type SandboxWorkerData = Omit<SandboxOptions, keyof SandboxNotices>

if (parentPort !== null) {
  const notices = {
    onUnsafeRun: noticeTo(parentPort, 'onUnsafeRun'),
    onRun: noticeTo(parentPort, 'onRun'),
    onConnection: noticeTo(parentPort, 'onConnection'),
  } satisfies Required<SandboxNotices>
  serve(parentPort, createSandbox({ ...(workerData as SandboxWorkerData), ...notices }))
}
