import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/**
 * Collects all garbage of this thread now, which takes some tens of milliseconds. V8 gives back what it took during a
 * rush only when it collects, and a process that nobody asks anything has no reason to.
 */
export function collectGarbage(): void {
  setFlagsFromString('--expose-gc') // a context made from here on has the function
  const collect = runInNewContext('gc') as () => void
  collect()
}
