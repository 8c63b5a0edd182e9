import { parentPort, workerData, type MessagePort } from 'node:worker_threads'
import { createSandbox } from '../sandbox/sandbox.ts'
import type { SandboxOptions } from '../sandbox/sandbox-options.ts'
import { noticeTo, serve } from './rpc.ts'

/** What the thread says unasked. */
export type SandboxNotices = Pick<SandboxOptions, 'onUnsafeRun' | 'onRun' | 'onConnection'>

/** Composition root of the thread that starts programs and watches them. Its jails end with it. */
export type SandboxWorkerData = Omit<SandboxOptions, keyof SandboxNotices>

/** Serves a sandbox to the other side of the port. */
export function serveSandbox(port: MessagePort, data: SandboxWorkerData): void {
  const notices = {
    onUnsafeRun: noticeTo(port, 'onUnsafeRun'),
    onRun: noticeTo(port, 'onRun'),
    onConnection: noticeTo(port, 'onConnection'),
  } satisfies Required<SandboxNotices>
  serve(port, createSandbox({ ...data, ...notices }))
}

if (parentPort !== null) serveSandbox(parentPort, workerData as SandboxWorkerData)
