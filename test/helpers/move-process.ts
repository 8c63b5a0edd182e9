// Moves in a process of its own, which kills itself in the middle: node move-process.ts ROOT DIRECTION REPORTS
import { loadConfig } from '../../src/config.ts'
import { move, type Direction } from '../../src/services/move.ts'
import { INLINE_THREADS } from './inline-threads.ts'

const [root = '', direction = '', reports = ''] = process.argv.slice(2)
let seen = 0

const { outcome, isContinued } = await move(loadConfig({ root }), {
  direction: direction as Direction,
  checkOnly: false,
  signal: new AbortController().signal,
  log: { info() {}, warn: console.error, error: console.error },
  starter: INLINE_THREADS,
  onProgress: () => {
    if (++seen === Number(reports)) process.kill(process.pid, 'SIGKILL')
  },
})
console.log(JSON.stringify({ outcome, isContinued, seen }))
