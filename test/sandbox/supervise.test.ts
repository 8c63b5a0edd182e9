import { PassThrough } from 'node:stream'
import { test } from 'tap'
import type { Ended, Launched } from '../../src/sandbox/jail/launched.ts'
import { supervise } from '../../src/sandbox/supervise.ts'

const LIMITS = { timeoutMs: 60_000, memoryMb: 1024, diskMb: 64, processes: 8 }

interface FakeProgram {
  program: Launched
  end: (ended: Partial<Ended>) => void
  kills: () => number
  outOfMemory: () => void
}

function fakeProgram(): FakeProgram {
  const ended = Promise.withResolvers<Ended>()
  let [kills, isOutOfMemory] = [0, false]
  const end: FakeProgram['end'] = how => ended.resolve({ exitCode: 0, signal: null, failure: null, ...how })
  return {
    program: {
      stdout: new PassThrough(),
      stderr: new PassThrough(),
      begun: Promise.resolve(true),
      ended: ended.promise,
      hasOwnNetwork: true,
      treeRoot: () => null,
      ranOutOfMemory: () => isOutOfMemory,
      kill() {
        kills++
        end({ exitCode: 137 })
      },
    },
    end,
    kills: () => kills,
    outOfMemory: () => {
      isOutOfMemory = true
    },
  }
}

const OPTIONS = { limits: LIMITS, folders: [], onOutput: undefined, readyWhen: undefined }
const never = new AbortController().signal

test('when the kernel ended one process for memory, all of the program is ended, with that reason', async t => {
  const { program, kills, outOfMemory } = fakeProgram()
  const outcome = supervise(program, { ...OPTIONS, signal: never })
  outOfMemory()
  t.match(await outcome, { killedBy: 'memory', exitCode: null, signal: 'SIGKILL' })
  t.equal(kills(), 1)
})

test('a program that the kernel ended for memory before the watch looked has that reason, too', async t => {
  const { program, end, outOfMemory } = fakeProgram()
  const outcome = supervise(program, { ...OPTIONS, signal: never })
  outOfMemory()
  end({ exitCode: 137 })
  t.match(await outcome, { killedBy: 'memory', exitCode: null })
})

test('a program that was cancelled has that reason, whatever the kernel did meanwhile', async t => {
  const { program, outOfMemory } = fakeProgram()
  const abort = new AbortController()
  const outcome = supervise(program, { ...OPTIONS, signal: abort.signal })
  abort.abort()
  outOfMemory()
  t.match(await outcome, { killedBy: 'cancelled' })
})
