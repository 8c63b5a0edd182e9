// Runs the tests of several files in one process: TEST_FILES='FILE …' node scripts/test-batch.ts NUMBER. The arguments
// are a part of the name of each folder that tap makes for a test, hence the number and no files.
import { resolve } from 'node:path'

for (const file of (process.env.TEST_FILES ?? '').split(' ')) await import(resolve(file))
