import { once } from 'node:events'
import { createInterface } from 'node:readline/promises'
import type { Session } from './session.ts'

type Asking = Pick<Session, 'terminal' | 'signal'>

/** Whether there is a person to ask. */
export const canAsk = ({ terminal }: Pick<Session, 'terminal'>): boolean => terminal.stdin.isTTY === true

/**
 * Asks for one line on stderr and reads it from the terminal. Null when none will come (Ctrl-D).
 *
 * @throws The signal's reason at Ctrl-C.
 */
export async function askLine({ terminal, signal }: Asking, question: string): Promise<string | null> {
  signal.throwIfAborted()
  const prompt = createInterface({ input: terminal.stdin, output: terminal.stderr })
  prompt.on('SIGINT', () => {
    process.kill(process.pid, 'SIGINT')
  }) // readline would swallow it
  const ended = once(prompt, 'close').then(() => null)
  try {
    return await Promise.race([prompt.question(question, { signal }), ended])
  } catch (error) {
    throw signal.aborted ? signal.reason : error
  } finally {
    prompt.close()
  }
}

/** Asks for yes or no; anything but a yes is a no. */
export async function confirm(asking: Asking, question: string): Promise<boolean> {
  return /^y(?:es)?$/i.test((await askLine(asking, `${question} [y/N] `))?.trim() ?? '')
}
