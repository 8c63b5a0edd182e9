import { openKeyAt } from './redact-private-key.ts'
import { redact } from './redact.ts'

/** Takes a text in pieces; gives it on without secrets. */
interface RedactedStream {
  add(piece: string): void
  /** Gives on what is left. */
  end(): void
}

/** How much is held back of a line that has no end yet, and of a private key whose END did not come. */
const LIMITS = { lineChars: 16_384, keyChars: 65_536 }

/**
 * Redacts a text that comes in pieces, as a program prints it: whole lines are given on at once, a private key when all
 * of it has come.
 */
export function createRedactedStream(
  write: (text: string) => void,
  { lineChars, keyChars }: typeof LIMITS = LIMITS,
): RedactedStream {
  let held = ''

  function give(length: number): void {
    if (length === 0) return
    write(redact(held.slice(0, length)).text)
    held = held.slice(length)
  }

  return {
    add(piece) {
      held += piece
      if (!piece.includes('\n') && held.length < lineChars) return
      const lines = held.lastIndexOf('\n') + 1
      const key = openKeyAt(held)
      if (key !== -1 && held.length < keyChars) return give(held.lastIndexOf('\n', key) + 1)
      give(held.length - lines < lineChars ? lines : held.length)
    },
    end: () => give(held.length),
  }
}
