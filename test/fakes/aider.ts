import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * Stands in for aider: takes its flags, asks the server of OPENAI_API_BASE, and does what the reply says: `files` by
 * path, `gone` (to be deleted), `links`, `bytes`, `list` (of what it sees), `print`, `exit`, `waits` without end, or
 * `reach` another server. As aider, it ends with 0 after an error of the API that left it nothing to do.
 */
const PROGRAM = `#!/usr/bin/env node
const fs = require('node:fs'), path = require('node:path')
const argv = process.argv.slice(2)
const flags = { '--model': 1, '--message': 1, '--message-file': 1, '--read': 1 }
const given = {}, files = [], read = []
for (let at = 0; at < argv.length; at++) {
  const name = argv[at]
  if (flags[name] === 1) { const value = argv[++at]; if (name === '--read') read.push(value); else given[name] = value }
  else if (name.startsWith('--')) given[name] = true
  else files.push(name)
}
for (const needed of ['--yes-always', '--no-git', '--no-auto-commits', '--model']) {
  if (given[needed] === undefined) { console.error('aider: error: ' + needed + ' is missing'); process.exit(2) }
}
async function main() {
  console.log('Aider v0.86.1')
  console.log('env ' + JSON.stringify(process.env))
  const message = given['--message'] ?? fs.readFileSync(given['--message-file'], 'utf8')
  const shown = [...files, ...read].map(file => file + (fs.existsSync(file) ? ' is there' : ' is new')).join(', ')
  const answer = await fetch(process.env.OPENAI_API_BASE + '/chat/completions', {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: 'Bearer ' + process.env.OPENAI_API_KEY },
    body: JSON.stringify({
      model: given['--model'].replace(/^openai\\//, ''),
      messages: [{ role: 'user', content: message + '\\n\\n' + shown + '\\nreading ' + read.join(',') }],
    }),
  })
  if (!answer.ok) { console.log('litellm.APIError: ' + answer.status + ' ' + (await answer.text())); return }
  const todo = JSON.parse((await answer.json()).choices[0].message.content)
  if (todo.reach) console.log('reached ' + (await fetch(todo.reach).then(one => one.status, () => 'nothing')))
  if (todo.print) console.log(todo.print)
  if (todo.waits) setInterval(() => {}, 1000)
  for (const [file, text] of Object.entries(todo.files ?? {})) {
    fs.mkdirSync(path.dirname(file), { recursive: true })
    fs.writeFileSync(file, text)
    console.log('Applied edit to ' + file)
  }
  for (const file of todo.gone ?? []) fs.rmSync(file)
  for (const [file, target] of Object.entries(todo.links ?? {})) {
    fs.rmSync(file, { force: true })
    fs.symlinkSync(target, file)
  }
  for (const [file, bytes] of Object.entries(todo.bytes ?? {})) fs.writeFileSync(file, Buffer.from(bytes))
  if (todo.list) console.log('sees ' + fs.readdirSync('.', { recursive: true }).join(' '))
  process.exitCode = todo.exit ?? 0
}
main().catch(error => { console.log('litellm.APIConnectionError: ' + error.message) })
`

/** Installs the stand-in below a folder that the sandbox can read, as a virtual environment has it. */
export function installAider(folder: string): string {
  const bin = join(folder, 'aider-env', 'bin')
  mkdirSync(bin, { recursive: true, mode: 0o755 })
  writeFileSync(join(folder, 'aider-env', 'pyvenv.cfg'), 'home = /usr/bin\n')
  writeFileSync(join(bin, 'aider'), PROGRAM, { mode: 0o755 })
  return join(bin, 'aider')
}
