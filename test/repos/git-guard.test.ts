import { test } from 'tap'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { startGitHttpServer } from '../helpers/git-http-server.ts'
import { createGitRepository } from '../helpers/git-repository.ts'
import { eventually, processesWith } from '../helpers/processes.ts'
import { testFolder } from '../helpers/test-folder.ts'

test('no git process outlives a server that was killed with SIGKILL', async (t) => {
  const root = testFolder(t)
  createGitRepository(join(root, 'remotes', 'shop.git'), { files: { a: '1' } })
  const server = await startGitHttpServer(join(root, 'remotes'), { stall: true })
  t.teardown(async () => await server.close())
  const url = `${server.url}/shop.git`
  const program = `
    import { createRepos } from ${JSON.stringify(new URL('../../src/repos/repos.ts', import.meta.url).href)}
    const repos = createRepos({ clonedReposDir: ${JSON.stringify(join(root, 'clones'))}, allowLocalRepos: [], allowPrivateHosts: true, gitTokens: new Map() })
    await repos.sync({ url: ${JSON.stringify(url)}, projectName: 'shop' }, { signal: new AbortController().signal, onProgress () {} })`
  const parent = spawn(process.execPath, ['--input-type=module', '--eval', program], { stdio: 'ignore' })
  await Promise.race([server.stalled, once(parent, 'exit').then(() => { throw new Error('the server ended by itself') })])
  const family = () => processesWith(url).filter((command) => !command.startsWith(`${parent.pid} `))
  t.ok(family().some((command) => command.includes('remote-http')), 'git and its helpers are at work')
  parent.kill('SIGKILL')
  await once(parent, 'exit')
  t.ok(await eventually(() => family().length === 0), family().join('\n'))
})

test('the guard hands on arguments, output and the exit code, and names a missing git', async (t) => {
  const guard = new URL('../../src/repos/git-guard.ts', import.meta.url).pathname
  const run = async (args: string[], path = '/usr/bin:/bin') => {
    const child = spawn(process.execPath, [guard, ...args], { env: { PATH: path }, stdio: ['pipe', 'pipe', 'pipe'] })
    let output = ''
    child.stdout.on('data', (chunk) => { output += chunk })
    child.stderr.on('data', (chunk) => { output += chunk })
    const [code] = await once(child, 'close')
    return { code, output }
  }
  t.match(await run(['version']), { code: 0, output: /^git version/ })
  t.match(await run(['--no-such-option']), { code: 129, output: /unknown option/ })
  t.match(await run(['version'], '/nonexistent'), { code: 97, output: '' })
})
