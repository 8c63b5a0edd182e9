import { createSandbox } from '../sandbox/sandbox.ts'
import type { SandboxOptions } from '../sandbox/sandbox-options.ts'
import { noticeTo, serve, type Channel } from './rpc.ts'

/** What is said unasked. */
export type SandboxNotices = Pick<SandboxOptions, 'onUnsafeRun' | 'onRun' | 'onConnection'>

/** Composition root of what starts programs and watches them. The jails end with its process. */
export type SandboxWorkerData = Omit<SandboxOptions, keyof SandboxNotices>

/** Serves a sandbox to the other side of the channel. */
export function serveSandbox(channel: Channel, data: SandboxWorkerData): void {
  const notices = {
    onUnsafeRun: noticeTo(channel, 'onUnsafeRun'),
    onRun: noticeTo(channel, 'onRun'),
    onConnection: noticeTo(channel, 'onConnection'),
  } satisfies Required<SandboxNotices>
  serve(channel, createSandbox({ ...data, ...notices }))
}
