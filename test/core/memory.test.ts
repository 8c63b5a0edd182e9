import { totalmem } from 'node:os'
import { test } from 'tap'
import { memoryBytes } from '../../src/core/memory.ts'

test('a process may use some memory, and not more than the machine has', async t => {
  t.ok(memoryBytes() > 0 && memoryBytes() <= totalmem())
})
