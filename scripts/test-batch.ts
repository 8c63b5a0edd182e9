// Runs the tests of several files in one process: TEST_FILES='FILE …' node scripts/test-batch.ts NUMBER. The arguments
// are a part of the name of each folder that tap makes for a test, hence the number and no files.
import { resolve } from 'node:path'
import { t } from 'tap'

const TIMEOUT_MS = Number(process.env.TAP_TIMEOUT ?? 30) * 1_000

for (const file of (process.env.TEST_FILES ?? '').split(' ')) {
  try {
    await import(resolve(file))
  } catch (error) {
    t.fail(`${file} cannot be loaded`, { found: error })
  }
  t.setTimeout(TIMEOUT_MS) // what a file asks for is meant for itself, and would end those beside it
}
