import { EventEmitter } from 'node:events'
import { test } from 'tap'
import { EXIT } from '../../src/cli/exit-codes.ts'
import { listenForInterrupts } from '../../src/cli/interrupts.ts'

class ExitedError extends Error {}

/** A process that hears signals and says with what code it was ended. */
function listeningProcess() {
  const codes: unknown[] = []
  let time = 1_000
  const listener = Object.assign(new EventEmitter(), {
    exit(code?: number | string | null): never {
      codes.push(code)
      throw new ExitedError()
    },
  })
  const signalAt = (at: number, name: 'SIGINT' | 'SIGTERM') => {
    time = at
    try {
      listener.emit(name)
    } catch (error) {
      if (!(error instanceof ExitedError)) throw error
    }
  }
  // the listener of a signal needs nothing else of a process
  const { signal, stop } = listenForInterrupts(listener as unknown as NodeJS.Process, () => time)
  return { codes, listener, signalAt, signal, stop }
}

for (const name of ['SIGINT', 'SIGTERM'] as const) {
  test(`the first ${name} asks the command to stop, a second one ends the process`, async t => {
    const { codes, signalAt, signal } = listeningProcess()
    t.notOk(signal.aborted)
    signalAt(1_000, name)
    t.match(signal.reason, { message: 'Interrupted' }, 'the command hears of the first')
    t.strictSame(codes, [], 'and may clean up')
    signalAt(1_300, name)
    t.strictSame(codes, [], 'the same Ctrl-C, delivered twice')
    signalAt(1_301, name)
    t.strictSame(codes, [EXIT.interrupted])
  })
}

test('a command that has ended hears no signal', async t => {
  const { listener, signalAt, signal, stop } = listeningProcess()
  stop()
  t.strictSame(listener.eventNames(), [])
  signalAt(1_000, 'SIGINT')
  t.notOk(signal.aborted)
})
