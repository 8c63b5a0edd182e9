// Runs the tests of several files in one process: TEST_FILES='FILE …' node scripts/test-batch.ts NUMBER. The arguments
// are a part of the name of each folder that tap makes for a test, hence the number and no files.
import { resolve } from 'node:path'
import { t } from 'tap'

for (const file of (process.env.TEST_FILES ?? '').split(' ')) {
  try {
    await import(resolve(file))
  } catch (error) {
    t.fail(`${file} cannot be loaded`, { found: error })
  }
}
