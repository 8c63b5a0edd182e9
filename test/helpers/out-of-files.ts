// A program of its own that has no file left: `ulimit -n 64; node out-of-files.ts MODULE FUNCTION`. Calls a function of
// a module, once without files and once with, and prints what became of both as JSON.
import { closeSync, openSync } from 'node:fs'

const [module = '', name = ''] = process.argv.slice(2)
const { [name]: run } = (await import(module)) as Record<string, () => Promise<unknown>>
const told = async (): Promise<object> => {
  try {
    return { result: await run?.() }
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    return { code, message }
  }
}

const first = await told() // whatever is loaded late is loaded now
const taken: number[] = []
try {
  for (;;) taken.push(openSync('/dev/null', 'r'))
} catch {
  // now there is none
}
const without = await told()
for (const file of taken) closeSync(file)
console.log(JSON.stringify({ first, without, after: await told() }))
