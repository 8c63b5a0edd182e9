// Loaded with `node --import` by start.bench.ts: writes the address of each module that a process and its threads load
// as a line of the file that MODULES_FILE names.
import { appendFileSync } from 'node:fs'
import { registerHooks } from 'node:module'

const file = process.env.MODULES_FILE
if (file !== undefined) {
  registerHooks({
    load(url, context, next) {
      appendFileSync(file, `${url}\n`)
      return next(url, context)
    },
  })
}
