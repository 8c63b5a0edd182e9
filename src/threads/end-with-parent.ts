import { Worker } from 'node:worker_threads'

/** Runs in a thread, since the process itself may be busy with one text for ever. */
const WATCH = `
  const { workerData: parent } = require('node:worker_threads')
  setInterval(() => { if (process.ppid !== parent) process.kill(process.pid, 'SIGKILL') }, 1000)
`

/** Ends this process within a second or so of the one that started it, whatever it does. */
export function endWithParent(): void {
  const limits = { maxYoungGenerationSizeMb: 1, maxOldGenerationSizeMb: 16 }
  new Worker(WATCH, { eval: true, workerData: process.ppid, resourceLimits: limits }).unref()
}
