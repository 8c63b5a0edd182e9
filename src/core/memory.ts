import { totalmem } from 'node:os'

/** Bytes that this process may use: the machine's, or those of its container. */
export function memoryBytes(): number {
  const constrained = process.constrainedMemory()
  return constrained > 0 ? Math.min(constrained, totalmem()) : totalmem()
}
